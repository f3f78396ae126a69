/** What the demo asks of an engine: one installation, declared in its language. */

export interface Command {
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
export interface KeptSecret {
  /** For the summary: `encrypted`. */
  readonly how: string;
  /** Throws unless the state's text keeps the secret that way. */
  readonly expectKept: (state: string, secret: string) => void;
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
  /** Shows what an `up` would do. */
  preview(): Promise<Preview>;
  /** Updates the state from the service. */
  refresh(): Promise<Command>;
  /** Whether the service differs from the state. */
  previewRefresh(): Promise<Preview>;
  up(): Promise<Command>;
  destroy(): Promise<Command>;
  /** The pipeline's key, as its owner reads it. */
  key(): Promise<{ readonly id: string; readonly value: string }>;
  /** The text of the state file. */
  stateText(): string;
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
