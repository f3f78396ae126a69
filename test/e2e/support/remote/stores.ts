/** Where tests keep states that every machine can reach: servers of their own. */
import { randomBytes } from "node:crypto";
import { chownSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { filesBelow } from "../../../../scripts/bootstrap/files.cjs";
import { runProgram, startProgram } from "../../../../scripts/bootstrap/programs.cjs";
import { findPostgres } from "../../../harness/postgres.cjs";
import { freePort, startServer, untilReady } from "../../../harness/servers";
import { onPath } from "../../../harness/terraform-workspace";

/** One state's place in a store, with what each engine needs to find it. */
interface Place {
  /** What the guide's block leaves to the environment of Terraform and OpenTofu. */
  readonly terraform: Readonly<Record<string, string>>;
  readonly pulumi: Readonly<Record<string, string>>;
  /** All that is kept there, as text; nothing of it is left in base64. */
  content(): Promise<string>;
}

/** A server that keeps states until it is closed. */
interface Store {
  /** A place that nobody else has. @param name letters, digits and hyphens */
  place(name: string): Promise<Place>;
  close(): Promise<void>;
}

const COMMAND_MS_MAX = 60_000;
const RUN_MS_MAX = 60 * 60_000;
const DUMP_CHARS_MAX = 16 * 1024 ** 2;
const USER = "states";
/** Everywhere the user of what belongs to nobody. */
const NOBODY = 65_534;

const programs = findPostgres(process.env["PATH"] ?? "");

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

/** PostgreSQL, for `pg` of Terraform and `postgres://` of Pulumi: on a free port, with a password, which is gone when it is closed. */
async function startPostgres(): Promise<Store> {
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
  const options = { cwd: folder, env, timeoutMs: RUN_MS_MAX, group: true };
  const running = startProgram(program, args, options);
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

const REGION = "eu-central-1";
const gateway = onPath("versitygw");

/** A service that is not Amazon's has none of the others that Terraform asks about a key. */
const NOT_AMAZON = [
  "skip_credentials_validation=true",
  "skip_requesting_account_id=true",
  "skip_metadata_api_check=true",
  "skip_region_validation=true",
  "use_path_style=true",
];

/** S3, for `s3` of Terraform and `s3://` of Pulumi, by versitygw over a folder: on a free port, with a key, which is gone when it is closed. */
async function startS3(): Promise<Store> {
  const folder = mkdtempSync(join(tmpdir(), "erphost-s3-"));
  const [buckets, attributes] = [join(folder, "buckets"), join(folder, "attributes")];
  for (const each of [buckets, attributes]) mkdirSync(each);
  const access = { id: "states", secret: randomBytes(16).toString("hex") };
  const address = `http://127.0.0.1:${await freePort()}`;
  const server = await startServer({
    name: "versitygw",
    program: gateway ?? "",
    words: [
      ...["--access", access.id, "--secret", access.secret, "--region", REGION],
      ...["--port", address.replace("http://", ""), "--health", "/health"],
      // What it notes of objects is kept in a folder, as not every file system has attributes.
      ...["posix", "--sidecar", attributes, buckets],
    ],
    folder,
    ready: `${address}/health`,
  });
  const env = {
    AWS_ACCESS_KEY_ID: access.id,
    AWS_SECRET_ACCESS_KEY: access.secret,
    AWS_REGION: REGION,
    AWS_EC2_METADATA_DISABLED: "true",
  };
  return {
    async place(name) {
      mkdirSync(join(buckets, name));
      const words = [`bucket=${name}`, ...NOT_AMAZON].map((each) => `-backend-config=${each}`);
      const query = `endpoint=${address}&disable_https=true&s3ForcePathStyle=true`;
      return {
        terraform: { ...env, AWS_ENDPOINT_URL_S3: address, TF_CLI_ARGS_init: words.join(" ") },
        pulumi: { ...env, PULUMI_BACKEND_URL: `s3://${name}?region=${REGION}&${query}` },
        async content() {
          const files = filesBelow(join(buckets, name));
          return files.map((file) => readFileSync(file, "utf8")).join("\n");
        },
      };
    },
    async close() {
      await server.stop();
      rmSync(folder, { recursive: true, force: true, maxRetries: 3 });
    },
  };
}

/** Tests without theirs are skipped, by the names that test/support/allowed-skips.json lists. */
export const stores = {
  PostgreSQL: { isThere: programs !== undefined, start: startPostgres },
  S3: { isThere: gateway !== undefined, start: startS3 },
} as const;

export type StoreName = keyof typeof stores;
