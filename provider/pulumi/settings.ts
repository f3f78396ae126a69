/** Stack configuration (`erphost:apiKey` and so on) as the client's and the engine's settings. */
import { InvalidInput } from "../contract";
import type { OpenOptions } from "../engine";

type Given = OpenOptions["given"];

/** One key of the namespace `erphost`. */
export interface Setting {
  readonly doc: string;
  readonly type: "string" | "number" | "boolean";
  /** Variable of the environment that it comes from where the stack says nothing. */
  readonly variable?: string;
  readonly secret?: boolean;
}

/** Keys of the namespace `erphost`, with what each is. */
export const settings = {
  apiKey: { doc: "API key.", type: "string", variable: "ERPHOST_API_KEY", secret: true },
  baseUrl: {
    doc: "Base address, ending in `/v1`.",
    type: "string",
    variable: "ERPHOST_BASE_URL",
  },
  environment: {
    doc: "`live` or `test`: a key of the other kind is refused.",
    type: "string",
    variable: "ERPHOST_ENVIRONMENT",
  },
  profile: {
    doc: "Contract profile: JSON, or the path of a file.",
    type: "string",
    variable: "ERPHOST_PROFILE",
  },
  timeout: {
    doc: "Time for one call, such as `60s`; 100 ms to 1 h.",
    type: "string",
    variable: "ERPHOST_TIMEOUT",
  },
  share: {
    doc: "Part of the quota that this process may use, above 0, at most 1.",
    type: "number",
  },
  sameName: {
    doc: "An unmanaged object of the same name: `warn` (default), `error` or `allow`.",
    type: "string",
    variable: "ERPHOST_SAME_NAME",
  },
  allowMassGone: {
    doc: "Accepts that many objects are gone at once.",
    type: "boolean",
    variable: "ERPHOST_ALLOW_MASS_GONE",
  },
} as const satisfies Readonly<Record<string, Setting>>;

/** Reads the settings through a getter; empty ones count as not given. */
export function settingsFrom(get: (key: string) => string | undefined): Given {
  const text = (key: keyof typeof settings): string | undefined => get(key) || undefined;
  const share = text("share");
  const sameName = text("sameName");
  const allowMassGone = text("allowMassGone");
  return {
    apiKey: text("apiKey"),
    baseUrl: text("baseUrl"),
    environment: text("environment"),
    profile: text("profile"),
    timeoutMs: text("timeout"),
    ...(share !== undefined && { share: Number(share) }),
    ...(sameName !== undefined && { sameName: oneOf("sameName", sameName, policies) }),
    ...(allowMassGone !== undefined && {
      allowMassGone: oneOf("allowMassGone", allowMassGone, ["true", "false"]) === "true",
    }),
  };
}

const policies = ["warn", "error", "allow"] as const;

function oneOf<const T extends string>(key: string, text: string, known: readonly T[]): T {
  const found = known.find((each) => each === text);
  if (found !== undefined) return found;
  throw new InvalidInput(
    `erphost:${key}`,
    [{ path: [], message: `is ${JSON.stringify(text)}` }],
    `Use one of ${known.join(", ")}.`,
  );
}
