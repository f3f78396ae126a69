/** PostgreSQL, for states that Terraform (`pg`) and Pulumi (`postgres://`) keep in it. */
import { randomBytes } from "node:crypto";
import { chownSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { runProgram, startProgram } from "../../../../scripts/bootstrap/programs.cjs";
import { findPostgres } from "../../../harness/postgres.cjs";
import { freePort, untilReady } from "../../../harness/servers";
import type { Store } from "./place";

const COMMAND_MS_MAX = 60_000;
const RUN_MS_MAX = 60 * 60_000;
const DUMP_CHARS_MAX = 16 * 1024 ** 2;
const USER = "states";
/** Everywhere the user of what belongs to nobody. */
const NOBODY = 65_534;

const programs = findPostgres(process.env["PATH"] ?? "");

export const hasPostgres = programs !== undefined;

/** PostgreSQL serves nobody as root, whose processes become another user's. */
const isRoot = process.geteuid?.() === 0;
const AS_NOBODY = [`--reuid=${NOBODY}`, `--regid=${NOBODY}`, "--clear-groups"];

const commandOf = (name: string, words: readonly string[]): [string, readonly string[]] => {
  const program = join(programs ?? "", name);
  return isRoot ? ["setpriv", [...AS_NOBODY, program, ...words]] : [program, words];
};

/** A dump, with what is in base64 as text behind it: Pulumi stores its states that way. */
const decoded = (dump: string): string =>
  [dump, ...(dump.match(/[\w+/]{40,}=*/g)?.map((text) => Buffer.from(text, "base64")) ?? [])].join(
    "\n",
  );

/** A server of its own on a free port, with a password, which is gone when it is closed. */
export async function startPostgres(): Promise<Store> {
  const folder = mkdtempSync(join(tmpdir(), "erphost-postgres-"));
  const password = randomBytes(16).toString("hex");
  const passwordFile = join(folder, "password");
  writeFileSync(passwordFile, password, { mode: 0o600 });
  if (isRoot) for (const path of [folder, passwordFile]) chownSync(path, NOBODY, NOBODY);
  const port = await freePort();
  const at = ["--host=127.0.0.1", `--port=${port}`, `--username=${USER}`];
  const env = { ...process.env, PGPASSWORD: password };
  const run = async (name: string, ...words: readonly string[]): Promise<string> => {
    const [program, args] = commandOf(name, words);
    const options = { cwd: folder, env, timeoutMs: COMMAND_MS_MAX, outputCharsMax: DUMP_CHARS_MAX };
    const { code, output, stdout } = await runProgram(program, args, options);
    if (code !== 0) throw new Error(`${name} failed:\n${output}`);
    return stdout;
  };
  const data = join(folder, "data");
  await run(
    "initdb",
    ...[`--pgdata=${data}`, `--username=${USER}`, `--pwfile=${passwordFile}`],
    ...["--auth=scram-sha-256", "--encoding=UTF8", "--no-locale", "--no-sync"],
  );
  const settings = ["listen_addresses=127.0.0.1", `unix_socket_directories=${folder}`, "fsync=off"];
  const [program, args] = commandOf("postgres", [
    ...["-D", data, "-p", String(port)],
    ...settings.flatMap((setting) => ["-c", setting]),
  ]);
  const running = startProgram(program, args, {
    cwd: folder,
    env,
    timeoutMs: RUN_MS_MAX,
    group: true,
  });
  const isReady = () =>
    run("pg_isready", ...at).then(
      () => true,
      () => false,
    );
  await untilReady("PostgreSQL", running, isReady);
  return {
    async place(name) {
      await run("createdb", ...at, name);
      const address = `postgres://${USER}:${password}@127.0.0.1:${port}/${name}?sslmode=disable`;
      return {
        terraform: { PG_CONN_STR: address },
        pulumi: { PULUMI_BACKEND_URL: address },
        content: async () => decoded(await run("pg_dump", ...at, "--inserts", name)),
      };
    },
    async close() {
      // To all its processes at once, since nothing of its data is kept.
      running.signal("SIGKILL");
      await running.finished;
      rmSync(folder, { recursive: true, force: true, maxRetries: 3 });
    },
  };
}
