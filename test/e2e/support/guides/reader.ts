/** Somebody who follows a page at a terminal: its blocks run as they are printed. */
import { existsSync, mkdirSync, readFileSync, symlinkSync, writeFileSync } from "node:fs";
import { delimiter, dirname, join } from "node:path";
import { writeFiles } from "../../../../scripts/bootstrap/files.cjs";
import type { Run } from "../../../chaos/faces/face";
import { crash } from "../../../chaos/kill";
import type { Moment } from "../../../chaos/moments";
import type { Scene } from "../../../chaos/support/scene";
import { startCommand, type RunningCommand } from "../../../harness/command";
import { untilReady } from "../../../harness/servers";
import { hasEngine, onPath } from "../../../harness/terraform-workspace";
import { blocksOf, page, type Block } from "../guide";
import { expectDone } from "../output";

const ROOT = join(__dirname, "../../../..");
const TIMEOUT_MS = 3 * 60_000;

/** What has been followed in this process: each page with the texts of its blocks. */
export const followed = new Set<string>();
export const keyOf = (path: string, { text }: Block): string => `${path}\n${text}`;

/** A stack's or a workspace's folder, in which nothing is of the person's setup. */
export interface Place {
  readonly folder: string;
  readonly env: Readonly<Record<string, string>>;
}

/** What a page calls by a name of its own: addresses and keys. Nothing else of it is replaced. */
export type StandIns = Readonly<Record<string, string>>;

/** Where and when a run is killed. */
interface Accident {
  readonly scene: Scene;
  readonly moment: Moment;
}

interface CutOff {
  readonly typed?: string;
  /** Folder of the run's intents, where the page names one. */
  readonly intents?: string;
}

export class Reader {
  private readonly session: string;

  /**
   * @param path of the page below docs, without the ending
   * @param folder in which the first terminal is opened
   */
  constructor(
    private readonly path: string,
    private readonly place: Place,
    private readonly standIns: StandIns = {},
    readonly folder = join(place.folder, "work"),
  ) {
    const strange = Object.keys(standIns).find((text) => !page(path).includes(text));
    if (strange !== undefined) throw new Error(`${path} does not name ${strange}`);
    mkdirSync(folder, { recursive: true });
    this.session = join(place.folder, "terminal");
    mkdirSync(this.session, { recursive: true });
    programs(join(place.folder, "bin"));
    this.terminal();
  }

  /** Opens another terminal, which knows nothing of what was exported in the last one. */
  terminal(folder = this.folder): void {
    writeFileSync(join(this.session, "exports"), "");
    writeFileSync(join(this.session, "folder"), folder);
  }

  /** The text of the one block that holds this, and from now on it counts as followed. */
  text(holding: string): string {
    const found = blocksOf(this.path).filter(({ text }) => text.includes(holding));
    const [block] = found;
    if (!block || found.length > 1) throw new Error(`${this.path}: not one block has ${holding}`);
    followed.add(keyOf(this.path, block));
    const all = Object.entries(this.standIns);
    return all.reduce((text, [printed, real]) => text.replaceAll(printed, real), block.text);
  }

  /** Writes a file of the page. @param edit what a reader adds to it, or what it follows */
  file(name: string, holding: string, edit = (text: string): string => text): void {
    this.write(name, edit(this.text(holding)));
  }

  write(name: string, text: string): void {
    writeFiles(this.folder, { [name]: text });
  }

  /** Runs a block. @throws Error with the output, where a line of it fails */
  follow(holding: string, typed?: string): Promise<string> {
    return this.run(this.text(holding), typed);
  }

  /** Runs a command that stands in a sentence of the page. */
  does(command: string): Promise<string> {
    if (!page(this.path).includes(`\`${command}\``)) throw new Error(`${this.path}: ${command}`);
    return this.run(command);
  }

  /** Runs lines to their end. @throws Error with the output, where one fails */
  async run(lines: string, typed?: string): Promise<string> {
    return expectDone(await this.start(lines, typed).finished).output;
  }

  /** Runs lines, which may be the reader's own, in the terminal. */
  start(lines: string, typed = "yes\nyes\n"): RunningCommand {
    const at = (name: string): string => JSON.stringify(join(this.session, name));
    writeFileSync(join(this.session, "typed"), typed);
    const script = [
      `. ${at("exports")}; cd "$(cat ${at("folder")})"; exec < ${at("typed")}`,
      `trap 'pwd > ${at("folder")}; export -p > ${at("exports")}' EXIT`,
      lines,
    ];
    const { env } = this.place;
    return startCommand("bash", ["-euo", "pipefail", "-c", script.join("\n")], {
      folder: this.folder,
      env: {
        ...env,
        PATH: [join(this.place.folder, "bin"), env["PATH"]].join(delimiter),
        TF_CLI_ARGS: "-no-color",
        PULUMI_SKIP_CONFIRMATIONS: "true",
      },
      timeoutMs: TIMEOUT_MS,
    });
  }

  /** Runs lines that are cut off at the moment, which must come. */
  async cutOff({ scene, moment }: Accident, lines: string, options: CutOff = {}): Promise<void> {
    const { typed, intents = this.place.env["ERPHOST_INTENTS_DIR"] } = options;
    const startUp = (): Run => {
      const run = this.start(lines, typed);
      const kill = (): void => run.kill();
      return { finished: run.finished, killAll: kill, killHost: kill, killProvider: () => false };
    };
    const unlock = async (): Promise<void> => undefined;
    await crash(scene, { startUp, unlock, intentsFolder: intents ?? "" }, { moment, size: 1 });
    await scene.calm();
  }

  /** Has packages as `npm install` would bring them: our own is the checkout. */
  install(...names: readonly string[]): void {
    for (const name of ["erphost", ...names]) {
      const at = join(this.folder, "node_modules", name);
      mkdirSync(dirname(at), { recursive: true });
      symlinkSync(name === "erphost" ? ROOT : join(ROOT, "node_modules", name), at);
    }
  }

  /** Starts a block that ends with its terminal. @returns all that it printed, once it says this */
  async leaveRunning(lines: string, says: string): Promise<[string, RunningCommand]> {
    const running = this.start(lines);
    await untilReady(says, running, async () => running.output().includes(says));
    return [running.output(), running];
  }

  read(name: string): string {
    return readFileSync(join(this.folder, name), "utf8");
  }
}

/** The commands of the pages, from the checkout; what `npm install` would bring is there already. */
function programs(folder: string): void {
  if (existsSync(folder)) return;
  // Of two tests at a time each needs a port of its own.
  const erphost = `case "$1" in emulator|listen) name=$1; shift; set -- "$name" --port 0 "$@";; esac\nexec ${process.execPath} ${ROOT}/dist/cli/main.js "$@"`;
  const npx = `program=$1; shift; [ "$program" = erphost ] || program=${ROOT}/node_modules/.bin/$program; exec "$program" "$@"`;
  writeFiles(folder, { erphost: `#!/bin/sh\n${erphost}\n`, npx: `#!/bin/sh\n${npx}\n` }, 0o755);
  symlinkSync(process.execPath, join(folder, "node"));
  const tofu = onPath("tofu");
  if (!hasEngine("terraform") && tofu !== undefined) symlinkSync(tofu, join(folder, "terraform"));
}
