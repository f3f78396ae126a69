/** Logs as the engines read them: one JSON object per line on stderr, and none without `TF_LOG`. */
import { maskSecrets } from "../../contract";

export type Level = "trace" | "debug" | "info" | "warn" | "error";
export type Facts = Readonly<Record<string, string | number | boolean | undefined>>;

export interface Log {
  /** `facts` are names, ids and times; never values of a program. */
  (level: Level, text: string, facts?: Facts): void;
  /** Masks this text from now on. */
  mask(secret: string): void;
}

export interface LogOptions {
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly write: (line: string) => void;
  /** Milliseconds since 1970. */
  readonly nowMs: () => number;
}

export function createLog({ env, write, nowMs }: LogOptions): Log {
  const asked = [env["TF_LOG"], env["TF_LOG_PROVIDER"]].some((level) => (level ?? "") !== "");
  const secrets = new Set<string>();
  const masked = (text: string): string => {
    let clean = text;
    for (const secret of secrets) clean = clean.replaceAll(secret, "***");
    return maskSecrets(clean, "***");
  };
  const log = (level: Level, text: string, facts: Facts = {}): void => {
    if (!asked) return;
    const line = {
      "@level": level,
      "@message": masked(text),
      "@module": "provider.erphost",
      // The engines parse exactly six digits, and show any other line as it is, at debug level.
      "@timestamp": new Date(nowMs()).toISOString().replace("Z", "000Z"),
      ...Object.fromEntries(
        Object.entries(facts).map(([name, fact]) => [
          name,
          typeof fact === "string" ? masked(fact) : fact,
        ]),
      ),
    };
    write(`${JSON.stringify(line)}\n`);
  };
  return Object.assign(log, {
    mask: (secret: string) => {
      if (secret !== "") secrets.add(secret);
    },
  });
}
