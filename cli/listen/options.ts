/** The options of a listener and its command, checked before anything listens. */
import { accessSync, constants, statSync } from "node:fs";
import { extname, resolve } from "node:path";
import { InvalidInput } from "../../provider";
import { verifyWebhook } from "../../provider/client/people/webhooks";
import { eventNames, issueAt, stated } from "../../provider/contract";
import { nearest } from "../../provider/messages";
import type { World } from "../world";
import { assertMayDispatch, dispatchTarget, TOKEN_VARIABLE } from "./dispatch";
import { commandTarget, type Target } from "./targets";

export interface ListenOptions {
  readonly host: string;
  readonly port: number;
  readonly on?: readonly string[];
  readonly debounce: number;
  readonly timeout: number;
  readonly grace: number;
  readonly queue?: string;
  readonly retry: number;
  readonly secretFile?: string;
  readonly dispatch?: string;
  readonly api: string;
}

export const SECRET_VARIABLE = "ERPHOST_WEBHOOK_SECRET";

/** Names of events as patterns for whole names. @throws InvalidInput where one fits no event that there is */
export function patternsOf(globs: readonly string[], path: string, command = "listen"): RegExp[] {
  return globs.map((glob) => {
    const words = glob.split("*").map((part) => part.replace(/[.+?^${}()|[\]\\]/g, "\\$&"));
    const pattern = new RegExp(`^${words.join(".*")}$`);
    if (eventNames.some((name) => pattern.test(name))) return pattern;
    const near = nearest(glob, [...eventNames, ...kindsOfEvents()]);
    const known =
      near === undefined ? `Events are ${eventNames.join(", ")}.` : `Did you mean ${near}?`;
    throw refusal(path, `is ${glob}, not an event of the service`, known, command);
  });
}

const kindsOfEvents = (): string[] => eventNames.map((name) => name.replace(/[.].*/, ".*"));

/** @throws InvalidInput where there is none, or where one would prove nothing */
export function secretsOf({ secretFile }: ListenOptions, world: World): string[] {
  const text =
    secretFile === undefined ? (world.env[SECRET_VARIABLE] ?? "") : read(secretFile, world);
  const secrets = text.split(/\s+/).filter((one) => one !== "");
  const place = secretFile === undefined ? SECRET_VARIABLE : "--secret-file";
  if (secrets.length === 0) {
    throw new InvalidInput("listen", [issueAt([place], "webhook_no_secret", {})]);
  }
  try {
    verifyWebhook({ body: "", headers: {}, secrets, nowMs: 0 });
  } catch (error) {
    // Nothing was sent that could be genuine; what is wrong with the secrets comes first.
    if (!(error instanceof InvalidInput)) return secrets;
    const first = secrets.length > 1 ? 1 : 2; // `secrets[0]` of one is the place itself.
    const issues = error.issues.map((issue) => ({
      ...issue,
      path: [place, ...issue.path.slice(first)],
    }));
    throw new InvalidInput("listen", issues);
  }
  return secrets;
}

function read(path: string, world: World): string {
  try {
    return world.readFile(path);
  } catch {
    throw refusal("--secret-file", "cannot be read");
  }
}

/** What is said of an argument or a variable. */
export const refusal = (path: string, text: string, remedy?: string, command = "listen") =>
  stated(command, [path], text, remedy);

/** What events start. @throws InvalidInput, or Error, where it cannot be started */
export async function targetOf(
  words: readonly string[],
  options: ListenOptions,
  world: World,
): Promise<Target> {
  const { dispatch, api } = options;
  if (words.length > 0 === (dispatch !== undefined)) {
    throw refusal("command", "must be given after --, or --dispatch in its place");
  }
  if (dispatch === undefined) {
    assertStartable(words[0] ?? "", world);
    return commandTarget(words, world.env, world.after);
  }
  if (!/^[\w.-]+\/[\w.-]+$/.test(dispatch)) throw refusal("--dispatch", "must be OWNER/NAME");
  // A token over plain HTTP could be read on the way; on this machine there is none.
  if (!/^https:\/\/|^http:\/\/(?:127\.0\.0\.1|localhost|\[::1\])(?::|\/|$)/.test(api)) {
    throw refusal("--api", "must be an https address");
  }
  const token = world.env[TOKEN_VARIABLE] ?? "";
  if (token === "") throw refusal(TOKEN_VARIABLE, "must be set for --dispatch");
  const repository = { api, name: dispatch, token };
  // Events are answered before their dispatch is: one that can never be posted would be lost in silence.
  await assertMayDispatch(repository, world);
  return dispatchTarget(repository, world);
}

const PATH_WITHOUT_ONE = "/usr/bin:/bin";

/** A program as the system finds it without a shell. @throws InvalidInput */
function assertStartable(program: string, { env, cwd, platform }: World): void {
  const isWindows = platform === "win32";
  if (isWindows && /[.](?:bat|cmd)$/i.test(program)) {
    throw refusal("command", `is ${program}, which only a shell can start`, "Use cmd /c with it.");
  }
  const isPath = (isWindows ? /[/\\]/ : /[/]/).test(program);
  const path = (env["PATH"] ?? PATH_WITHOUT_ONE).split(isWindows ? ";" : ":");
  const endings = isWindows && !/[.](?:exe|com)$/i.test(extname(program)) ? [".com", ".exe"] : [""];
  const files = (isPath ? [cwd] : isWindows ? [cwd, ...path] : path).flatMap((folder) =>
    endings.map((ending) => resolve(cwd, folder, `${program}${ending}`)),
  );
  const found = files.filter((file) => may(file, constants.F_OK) && statSync(file).isFile());
  if (found.length === 0) {
    throw refusal("command", `is ${program}, which is ${isPath ? "not there" : "not on PATH"}`);
  }
  if (isWindows || found.some((file) => may(file, constants.X_OK))) return;
  throw refusal("command", `is ${program}, which may not be executed`, `Use chmod +x ${found[0]}.`);
}

function may(file: string, mode: number): boolean {
  try {
    accessSync(file, mode);
    return true;
  } catch {
    return false; // Whatever the reason is, the system could not start it either.
  }
}
