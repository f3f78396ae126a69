/** cdktf-cli and cdktn-cli as their users run them; the provider comes from a local mirror. */
import { mkdirSync } from "node:fs";
import { delimiter, dirname, join } from "node:path";
import { stripVTControlCharacters } from "node:util";
import { ensureNodeRelease, minimumNode } from "../../scripts/engines/node.cjs";
import { cachedTools, must } from "./cached-tools";
import { MACHINE_CACHE, startCommand } from "./command";
import { fromMirrors, hasEngine, type EngineName } from "./terraform-workspace";

const root = join(__dirname, "../..");
/** What their packages may need is what there was on that day, so that it is the same everywhere. */
const BEFORE = "2026-11-20";
const TIMEOUT_MS = 3 * 60_000;

/** The engine that command lines use by default, or the one that is there. */
const defaultEngine = (): EngineName => (hasEngine("terraform") ? "terraform" : "tofu");

/** A folder with both, as npm installs them for their users: they bring no lock of their own. */
export const cdktfTools = (): Promise<string> =>
  cachedTools({
    name: `cdktf-${BEFORE}`,
    from: join(root, "test/e2e/release/tools"),
    pins: ["package.json"],
    install: (folder) => {
      const quiet = ["--no-audit", "--no-fund", "--loglevel=error"];
      const words = ["--ignore-scripts", "--no-package-lock", `--before=${BEFORE}`, ...quiet];
      return must("npm", ["install", ...words], folder);
    },
  });

export class CdktfCli {
  private constructor(
    private readonly folder: string,
    private readonly node: string,
    private readonly program: string,
    private readonly env: Readonly<Record<string, string>>,
  ) {}

  /** @param env variables of the provider, and of what runs the program */
  static async open(
    name: "cdktf" | "cdktn",
    folder: string,
    env: Readonly<Record<string, string>>,
  ): Promise<CdktfCli> {
    const tools = await cdktfTools();
    // cdktf-cli has a native part, which is built for no later release than this.
    const node = await ensureNodeRelease(root, process.env, minimumNode(root));
    const home = join(folder, "home");
    mkdirSync(home, { recursive: true });
    const { PATH = "", ...others } = env;
    return new CdktfCli(folder, node, join(tools, `node_modules/.bin/${name}`), {
      PATH: [PATH, dirname(node), process.env["PATH"]].filter(Boolean).join(delimiter),
      HOME: home,
      CI: "1",
      TERRAFORM_BINARY_NAME: defaultEngine(),
      ...fromMirrors(home),
      ERPHOST_INTENTS_DIR: join(home, "intents"),
      ...MACHINE_CACHE,
      ...others,
    });
  }

  /** A failure is an answer, not an exception. */
  async run(words: readonly string[], env: Readonly<Record<string, string>> = {}) {
    const options = { folder: this.folder, env: { ...this.env, ...env }, timeoutMs: TIMEOUT_MS };
    const { finished } = startCommand(this.node, [this.program, ...words], options);
    const result = await finished;
    return { ...result, output: stripVTControlCharacters(result.output) };
  }

  /** @throws Error with all that it printed, where it fails */
  async must(words: readonly string[], env?: Readonly<Record<string, string>>): Promise<string> {
    const { code, output } = await this.run(words, env);
    if (code === 0) return output;
    throw new Error(`${words.join(" ")} ended with ${code}:\n${output}`);
  }
}
