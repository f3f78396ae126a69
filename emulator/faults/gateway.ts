/** Faults that answer in front of the service, which never sees the request. */
import { errorCodes } from "../../provider/contract";
import { challengeFor, JSON_HEADERS, type Answer, type Meta } from "../http/answer";
import { effectOf, type Effect } from "./effects";

const HTML = `<html>
<head><title>502 Bad Gateway</title></head>
<body><center><h1>502 Bad Gateway</h1></center></body>
</html>
`;

/** The answer of a fault; undefined where the service is to answer. */
export function gatewayAnswer(effects: readonly Effect[], meta: Meta): Answer | undefined {
  if (effectOf(effects, "html-502")) {
    return { status: 502, headers: { "Content-Type": "text/html" }, body: HTML };
  }
  if (effectOf(effects, "bare-429")) return { status: 429, headers: {}, body: "" };
  const fault = effectOf(effects, "status");
  return fault && statusAnswer(fault, meta);
}

function statusAnswer(fault: Extract<Effect, { type: "status" }>, meta: Meta): Answer {
  const { status, retry_after } = fault;
  const [code, known] = Object.entries(errorCodes).find(([name, each]) =>
    fault.code === undefined
      ? each.status === status && each.source === "documented"
      : name === fault.code,
  ) ?? [fault.code ?? "internal_error", undefined];
  const error = {
    code,
    message: fault.message ?? `status ${status} from a fault of the emulator`,
    ...(known?.form === "b" && { status }),
    ...(retry_after !== undefined && { retry_after }),
  };
  return {
    status,
    headers: {
      ...JSON_HEADERS,
      ...challengeFor(status, code),
      ...(retry_after !== undefined && { "Retry-After": String(retry_after) }),
    },
    body: JSON.stringify(known?.form === "b" ? { error, meta } : { success: false, error, meta }),
  };
}
