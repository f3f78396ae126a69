/** Whoever runs the engine in the demo, and looks at what it prints and writes. */
import { findTexts } from "../test/e2e/support/files";
import type { Command, Installation, Preview } from "./installation";
import type { ApiKey } from "./service";
import { expect } from "./steps";

/** The end of what a command printed, for a failure's text. */
export const lastLines = (output: string): string =>
  output.trim().split("\n").slice(-25).join("\n");

export class Operator {
  /** Values that must be in no output, and in no file but as the engine keeps them. */
  private readonly secrets: string[];

  constructor(
    private readonly host: Installation,
    adminKey: string,
  ) {
    this.secrets = [adminKey];
  }

  /** What a command printed holds no secret. */
  read<C extends Command>(result: C): C {
    const shown = this.secrets.filter((secret) => result.output.includes(secret));
    expect(shown.length === 0, `the engine printed ${shown.length} secrets`);
    return result;
  }

  /** The command ended well. */
  succeeded(result: Command, what: string): Command {
    const { code, output } = this.read(result);
    expect(code === 0, `${what} failed (exit code ${String(code)}):\n${lastLines(output)}`);
    return result;
  }

  /** A preview that must have found changes, or nothing. */
  async found(looking: Promise<Preview>, wanted: "changes" | "nothing"): Promise<string> {
    const { found, code, output } = this.read(await looking);
    const { preview } = this.host.commands;
    const ending = `(exit code ${String(code)}):\n${lastLines(output)}`;
    expect(found !== "failure", `${preview} failed ${ending}`);
    expect(found === wanted, `${preview} found ${found}, not ${wanted} ${ending}`);
    return output;
  }

  /** Makes what is declared. */
  async up(): Promise<void> {
    this.succeeded(await this.host.up(), this.host.commands.up);
  }

  /** The pipeline's key; its secret is kept as the engine says, and written nowhere else. */
  async key(): Promise<ApiKey> {
    const key = await this.host.key();
    const { expectKept, plainFiles } = this.host.secret;
    expectKept(this.host.stateText(), key.value);
    if (!this.secrets.includes(key.value)) this.secrets.push(key.value);
    const files = findTexts([this.host.folder], this.secrets)
      .map(({ file }) => file)
      .filter((file) => !plainFiles.includes(file));
    expect(files.length === 0, `a secret is in plain text in ${files.join(", ")}`);
    return key;
  }
}
