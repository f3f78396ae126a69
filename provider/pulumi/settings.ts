/** Stack configuration (`erphost:apiKey` and so on) as the client's and the engine's settings. */
import { InvalidInput } from "../contract";
import type { OpenOptions } from "../engine";

type Given = OpenOptions["given"];

/** Keys of the namespace `erphost`, with what each is. */
export const settings = {
  apiKey: "API key; secret. Else ERPHOST_API_KEY.",
  baseUrl: "Base address, ending in /v1. Else ERPHOST_BASE_URL.",
  environment: "live or test: a key of the other kind is refused. Else ERPHOST_ENVIRONMENT.",
  profile: "Contract profile: JSON, or the path of a file. Else ERPHOST_PROFILE.",
  timeout: "Time for one call, such as 60s. Else ERPHOST_TIMEOUT.",
  share: "Part of the quota that this process may use, above 0, at most 1.",
  sameName: "An unmanaged object of the same name: warn, error or allow. Else ERPHOST_SAME_NAME.",
  allowMassGone: "true accepts that many objects are gone at once. Else ERPHOST_ALLOW_MASS_GONE.",
} as const;

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
