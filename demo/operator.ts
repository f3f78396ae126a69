/**
 * What the demo asks of an engine: one installation, declared in its language. And whoever runs the
 * engine, and looks at what it prints and writes.
 */
import { lastLines } from "../scripts/bootstrap/programs.cjs";
import { findTexts } from "../test/e2e/support/output";
import type { ApiKey } from "./service";
import { expect } from "./steps";

interface Command {
  readonly code: number | null;
  readonly output: string;
}

/** What a preview came to. A failure is not a change. */
export interface Preview extends Command {
  readonly found: "nothing" | "changes" | "failure";
}

/** What can be changed without editing the program. */
export interface Settings {
  readonly release: string;
  readonly keyEpoch: string;
  readonly protect: "true" | "false";
  /** The server of the instance. */
  readonly erpServer: "production" | "staging";
  /** From where the pipeline's key may be used. */
  readonly pipelineNetwork: string;
}

/** How the state keeps a key's secret. */
interface KeptSecret {
  /** For the summary: `encrypted`. */
  readonly how: string;
  /** Files that may have the secret in plain text, since that is how the engine keeps it. */
  readonly plainFiles: readonly string[];
}

export interface Installation {
  /** The engine's commands, as a person types them. */
  readonly commands: Readonly<Record<"preview" | "up" | "refresh" | "destroy", string>>;
  /** Everything that commands write is below it. */
  readonly folder: string;
  readonly secret: KeptSecret;
  set<S extends keyof Settings>(setting: S, value: Settings[S]): Promise<void>;
  preview(): Promise<Preview>;
  refresh(): Promise<Command>;
  /** Whether the service differs from the state. */
  previewRefresh(): Promise<Preview>;
  up(): Promise<Command>;
  destroy(): Promise<Command>;
  /** The pipeline's key, as its owner reads it. */
  key(): Promise<{ readonly id: string; readonly value: string }>;
  /** How many objects a preview would create. */
  planned(output: string): number | undefined;
  /** The lines of a preview that show changes. */
  changesIn(output: string): readonly string[];
  remove(): void;
}

/** Opens an installation with the provider's variables; `onOutput` gets what the engine prints. */
export type Open = (
  env: Readonly<Record<string, string>>,
  onOutput: (text: string) => void,
) => Promise<Installation>;

export class Operator {
  /** Values that must be in no output, and in no file but as the engine keeps them. */
  private readonly secrets: string[];

  constructor(
    private readonly host: Installation,
    adminKey: string,
  ) {
    this.secrets = [adminKey];
  }

  read<C extends Command>(result: C): C {
    const shown = this.secrets.filter((secret) => result.output.includes(secret));
    expect(shown.length === 0, `the engine printed ${shown.length} secrets`);
    return result;
  }

  succeeded(result: Command, what: string): Command {
    const { code, output } = this.read(result);
    expect(code === 0, `${what} failed (exit code ${String(code)}):\n${lastLines(output, 25)}`);
    return result;
  }

  /** A preview that must have found changes, or nothing. */
  async found(looking: Promise<Preview>, wanted: "changes" | "nothing"): Promise<string> {
    const { found, code, output } = this.read(await looking);
    const { preview } = this.host.commands;
    const ending = `(exit code ${String(code)}):\n${lastLines(output, 25)}`;
    expect(found !== "failure", `${preview} failed ${ending}`);
    expect(found === wanted, `${preview} found ${found}, not ${wanted} ${ending}`);
    return output;
  }

  async up(): Promise<void> {
    this.succeeded(await this.host.up(), this.host.commands.up);
  }

  /** The pipeline's key; its secret is kept as the engine says, and written nowhere else. */
  async key(): Promise<ApiKey> {
    const key = await this.host.key();
    expect(key.value !== "", "the engine knows no secret of the key");
    const { plainFiles } = this.host.secret;
    if (!this.secrets.includes(key.value)) this.secrets.push(key.value);
    const files = findTexts([this.host.folder], this.secrets)
      .map(({ file }) => file)
      .filter((file) => !plainFiles.includes(file));
    expect(files.length === 0, `a secret is in plain text in ${files.join(", ")}`);
    return key;
  }
}
