import { InvalidInput, issueAt } from "../../contract";
import { UNKNOWN } from "../../resources";
import { providerFunctions } from "../schema/functions";
import { CallFailure, status } from "../../grpc";
import { fromPlain, toPlain } from "../values/values";
import { textOf } from "../voice";
import { decodeMsgpack, encodeMsgpack } from "../wire/msgpack";
import type { CallRequest, CallResponse } from "../wire/messages.gen";
import type { Session } from "./session";

/** The engines put a full stop after what a function says. */
const unstopped = (text: string): string => text.replace(/\.$/, "");

export function callFunction(_session: Session, request: CallRequest): CallResponse {
  const definition = providerFunctions.get(request.name);
  if (!definition) {
    throw new CallFailure(status.invalidArgument, `there is no function ${request.name}`);
  }
  const [given] = request.arguments;
  const argument = toPlain("string", given?.msgpack ? decodeMsgpack(given.msgpack) : null);
  if (argument === UNKNOWN || typeof argument !== "string") {
    const missing = issueAt([definition.parameter.name], "required", {});
    return { error: { text: unstopped(textOf(missing)), function_argument: 0 } };
  }
  try {
    const result = fromPlain(definition.returns, definition.run(argument));
    return { result: { msgpack: encodeMsgpack(result) } };
  } catch (error) {
    if (!(error instanceof InvalidInput)) throw error;
    return { error: { text: unstopped(error.issues.map(textOf).join(" ")), function_argument: 0 } };
  }
}
