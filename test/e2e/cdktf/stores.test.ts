/**
 * Keys that are handed to stores of secrets: the documented programs, against the published bindings
 * of other providers; and what an apply sends, on a stand-in that records it.
 */
import { execFileSync } from "node:child_process";
import {
  cpSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "@jest/globals";
import { armor, Decrypter, generateIdentity, identityToRecipient } from "age-encryption";
import { LocalBackend, TerraformStack, Testing } from "cdktf";
import {
  ApiKey,
  awsSecret,
  ErphostProvider,
  githubActionsSecret,
  kubernetesSecret,
  SealedApiKey,
  vaultKv,
} from "../../../cdktf-bindings";
import { startEmulator, type Emulator } from "../../../emulator";
import { cachedTools, must } from "../../harness/cached-tools";
import {
  buildMirror,
  hasEngine,
  ONE_ENGINE,
  TerraformWorkspace,
  type EngineName,
} from "../../harness/terraform-workspace";
import { withBindings } from "../../cdktf/support/documented";
import {
  RecorderProvider,
  standInOf,
  startRecorder,
  type Recorder,
} from "../support/recording-store";
import { hasRestapi, restapiMirror } from "../support/restapi";

const root = join(__dirname, "../../..");
const INSTALL_MS = 300_000;

const PINS = join(__dirname, "bindings");
/** What the documented programs import of each binding: all of them would take 600 MB of the cache. */
const { kept: KEPT } = JSON.parse(readFileSync(join(PINS, "package.json"), "utf8")) as {
  readonly kept: Readonly<Record<string, readonly string[]>>;
};

/** A folder of the cache with those parts of the bindings. */
const bindings = (): Promise<string> => {
  const pins = ["package.json", "package-lock.json"];
  const install = async (folder: string): Promise<void> => {
    const quiet = ["--legacy-peer-deps", "--ignore-scripts", "--loglevel=error"];
    await must("npm", ["ci", ...quiet], folder);
    for (const [name, parts] of Object.entries(KEPT)) {
      const all = join(folder, "node_modules/@cdktf", name);
      for (const part of ["package.json", ...parts.map((each) => `lib/${each}`)]) {
        cpSync(join(all, part), join(folder, name, part), { recursive: true });
      }
    }
    rmSync(join(folder, "node_modules"), { recursive: true });
  };
  return cachedTools({ name: "bindings", from: PINS, pins, install }, process.env);
};

type Blocks = Readonly<Record<string, Readonly<Record<string, Record<string, unknown>>>>>;

describe("the documented programs", () => {
  let project: string;

  beforeAll(async () => {
    project = mkdtempSync(join(tmpdir(), "erphost-bindings-"));
    mkdirSync(join(project, "node_modules/@cdktf"), { recursive: true });
    const cached = await bindings();
    for (const name of Object.keys(KEPT)) {
      cpSync(join(cached, name), join(project, "node_modules/@cdktf", name), { recursive: true });
    }
    // The package as it is built, and the library that it finds.
    symlinkSync(root, join(project, "node_modules/erphost"));
    for (const name of ["cdktf", "constructs", "@types"]) {
      symlinkSync(join(root, "node_modules", name), join(project, "node_modules", name));
    }
  }, INSTALL_MS);
  afterAll(() => {
    rmSync(project, { recursive: true, force: true });
  });

  const VERSION: unknown = expect.stringMatching(/^\$\{parseint\(formatdate\(/);
  const expected: Readonly<Record<string, object>> = {
    vault_kv_secret_v2: {
      mount: "secret",
      name: "shop/erp",
      data_json_wo: '${jsonencode({"ERPHOST_API_KEY" = erphost_api_key.shop.value})}',
      data_json_wo_version: VERSION,
    },
    aws_secretsmanager_secret_version: {
      secret_id: "${aws_secretsmanager_secret.secret.id}",
      secret_string_wo: "${erphost_api_key.shop.value}",
      secret_string_wo_version: VERSION,
    },
    kubernetes_secret_v1: {
      metadata: { name: "erp" },
      data_wo: { ERPHOST_API_KEY: "${erphost_api_key_rotation.shop.value}" },
      data_wo_revision: VERSION,
    },
    github_actions_secret: {
      repository: "shop",
      secret_name: "ERPHOST_API_KEY",
      plaintext_value: "${erphost_api_key.pipeline.value}",
    },
  };

  test("each documented program of a store compiles and synthesises against the published bindings", () => {
    const files = Object.values(withBindings).map((program, index) => {
      const file = `store-${index}.ts`;
      writeFileSync(join(project, file), program);
      return file;
    });
    const compilerOptions = {
      ...{ target: "es2023", module: "nodenext", moduleResolution: "nodenext", types: ["node"] },
      ...{ strict: true, exactOptionalPropertyTypes: true, skipLibCheck: true },
    };
    writeFileSync(join(project, "package.json"), "{}");
    writeFileSync(join(project, "tsconfig.json"), JSON.stringify({ compilerOptions, files }));
    const run = (...words: string[]) =>
      execFileSync(process.execPath, words, { cwd: project, encoding: "utf8" });
    run(join(root, "node_modules/typescript/bin/tsc"), "-p", ".");
    // One process runs all of them, each with a folder of its own.
    const programs = files.map((file) => `./${file.replace(".ts", ".js")}`);
    run(
      "--eval",
      "for (const program of process.argv.slice(1)) {" +
        "process.env.CDKTF_OUTDIR = `${program}.out`; require(program); }",
      ...programs,
    );
    const found = programs.map((program) => {
      const text = readFileSync(join(project, `${program}.out/stacks/keys/cdk.tf.json`), "utf8");
      // As Terraform documents its JSON syntax.
      return (JSON.parse(text) as { resource: Blocks }).resource;
    });
    expect(found).toHaveLength(Object.keys(expected).length);
    const blocks = Object.keys(expected).map((type) => {
      const [own] = found.flatMap((each) => Object.values(each[type] ?? {}));
      const { "//": _, ...block } = own ?? {};
      return [type, block];
    });
    expect(Object.fromEntries(blocks)).toEqual(expected);
  });
});

// With each engine a store is in the program of every construct (every.test.ts).
describe.each<EngineName>([ONE_ENGINE])("%s", (engine) => {
  const isThere = hasEngine(engine) && hasRestapi();
  const testWithEngine = isThere ? test : test.skip;
  let emulator: Emulator;
  let recorder: Recorder;
  let workspace: TerraformWorkspace;

  beforeAll(async () => {
    if (!isThere) return;
    buildMirror();
    emulator = await startEmulator({ provisionMs: 10 });
    recorder = await startRecorder();
    const env = { ERPHOST_API_KEY: emulator.adminKey, ERPHOST_BASE_URL: emulator.baseUrl };
    const mirrors = [restapiMirror(engine)];
    workspace = await TerraformWorkspace.create({ engine, env, mirrors }, "");
  });
  afterAll(async () => {
    if (!isThere) return;
    workspace.remove();
    await recorder.close();
    await emulator.close();
  });

  testWithEngine(
    "the run that rotates a key hands the new secret to every store, by a stand-in that records it",
    async () => {
      const identity = await generateIdentity();
      const recipient = await identityToRecipient(identity);
      const permissions = ["servers:read"] as const;
      const write = (turn: string): void => {
        const stack = new TerraformStack(Testing.app(), "erp");
        new LocalBackend(stack, { path: "terraform.tfstate" });
        new ErphostProvider(stack, "provider");
        new RecorderProvider(stack, "recorder", recorder.url);
        const props = { permissions, triggers: { turn } };
        const key = new ApiKey(stack, "shop", props);
        key.deliverTo("vault", vaultKv(KvSecretV2, { mount: "secret", name: "shop" }));
        key.deliverTo("aws", awsSecret(SecretVersion, { secretId: "arn" }));
        key.deliverTo("k8s", kubernetesSecret(SecretV1, { metadata: { name: "erp" } }));
        const to = { repository: "shop", secretName: "KEY" };
        key.deliverTo("github", githubActionsSecret(ActionsSecret, to));
        const sealed = new SealedApiKey(stack, "sealed", { ...props, recipient });
        sealed.deliverTo("aws", awsSecret(SealedVersion, { secretId: "sealed" }));
        workspace.write("cdk.tf.json", Testing.synth(stack, true));
      };
      /** What each store was sent in one run. */
      const sent = async (turn: string) => {
        write(turn);
        const before = recorder.recorded.length;
        const { code, output } = await workspace.apply();
        if (code !== 0) throw new Error(output);
        expect((await workspace.plan()).code).toBe(0);
        const calls = recorder.recorded.slice(before);
        return Object.fromEntries(
          calls.map(({ path, body }) => [path.split("/")[1] ?? "", JSON.stringify(body)]),
        );
      };
      const statusOf = async (secret: string): Promise<number> => {
        const headers = { authorization: `Bearer ${secret}` };
        return (await fetch(`${emulator.baseUrl}/servers`, { headers })).status;
      };
      const SECRET = /[a-z]+_(?:live|test)_\w+/;

      write("1");
      const { code, output } = await workspace.run("init");
      if (code !== 0) throw new Error(output);
      const [first, second] = [await sent("1"), await sent("2")];
      const plain = ["vault", "aws", "kubernetes", "github"];
      const secretsOf = (run: typeof first) =>
        plain.map((name) => SECRET.exec(run[name] ?? "")?.[0]);
      const [old, next] = [secretsOf(first), secretsOf(second)];
      expect([new Set(old).size, new Set(next).size]).toEqual([1, 1]);
      expect(next[0]).not.toBe(old[0]);
      expect(await statusOf(next[0] ?? "")).toBe(200);

      // By the arguments of each store.
      const version = (run: typeof first) =>
        Number(/_version":(\d{14})[,}]/.exec(run["aws"] ?? "")?.[1]);
      expect(version(second)).toBeGreaterThanOrEqual(version(first));
      expect(second["vault"]).toContain(
        `"data_json_wo":"{\\"ERPHOST_API_KEY\\":\\"${next[0] ?? ""}`,
      );
      // With digits for the name of the field, exactly as they are.
      expect(second["vault"]).toMatch(/_version":\d{12}6962[,}]/);
      expect(second["kubernetes"]).toMatch(/_revision":\d{12}6962[,}]/);
      expect(second["aws"]).toContain(`"secret_string_wo":"${next[0] ?? ""}"`);
      expect(second["kubernetes"]).toContain(`"data_wo":{"ERPHOST_API_KEY":"${next[0] ?? ""}"}`);
      expect(second["github"]).toContain(`"plaintext_value":"${next[0] ?? ""}"`);

      // Of the sealed key nobody but its recipient learns anything.
      const { secret_string_wo: text } = JSON.parse(second["sealed"] ?? "{}") as Record<
        string,
        string
      >;
      const decrypter = new Decrypter();
      decrypter.addIdentity(identity);
      const secret = await decrypter.decrypt(armor.decode(text ?? ""), "text");
      expect(await statusOf(secret)).toBe(200);
      expect(workspace.stateText() + JSON.stringify(recorder.recorded)).not.toContain(secret);
      const destroyed = await workspace.destroy();
      expect(destroyed).toMatchObject({ code: 0 });
    },
  );
});

const KvSecretV2 = standInOf<{
  readonly mount: string;
  readonly name: string;
  readonly dataJsonWo?: string;
  readonly dataJsonWoVersion?: number;
}>("/vault");
interface Version {
  readonly secretId: string;
  readonly secretStringWo?: string;
  readonly secretStringWoVersion?: number;
}
const SecretVersion = standInOf<Version>("/aws");
const SealedVersion = standInOf<Version>("/sealed");
const SecretV1 = standInOf<{
  readonly metadata: { readonly name: string };
  readonly dataWo?: Readonly<Record<string, string>>;
  readonly dataWoRevision?: number;
}>("/kubernetes");
const ActionsSecret = standInOf<{
  readonly repository: string;
  readonly secretName: string;
  readonly plaintextValue?: string;
}>("/github");
