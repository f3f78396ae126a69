/** What the demo asks of an engine: one installation, declared in its language. */

export interface Command {
  readonly code: number | null;
  readonly output: string;
}

/** What can be changed without editing the program. */
export interface Settings {
  readonly release: string;
  readonly keyEpoch: string;
  readonly protect: "true" | "false";
  /** The server of the instance. */
  readonly erpServer: "production" | "staging";
}

export interface Installation {
  /** The engine's commands, as a person types them. */
  readonly commands: Readonly<Record<"preview" | "up" | "refresh" | "destroy", string>>;
  /** How the state keeps a key's secret. */
  readonly secret: string;
  set<S extends keyof Settings>(setting: S, value: Settings[S]): Promise<void>;
  /** Shows what an `up` would do; a failure is a result. */
  preview(): Promise<Command>;
  /** Fails if there is something to do. */
  previewUnchanged(): Promise<Command>;
  /** Updates the state from the service. */
  refresh(): Promise<Command>;
  /** Fails if the service differs from the state. */
  refreshUnchanged(): Promise<Command>;
  up(): Promise<Command>;
  destroy(): Promise<Command>;
  /** Id of the pipeline's key. */
  keyId(): Promise<string>;
  /** How many objects a preview would create. */
  planned(output: string): string | undefined;
  /** The lines of a preview that show changes. */
  changesIn(output: string): readonly string[];
  remove(): void;
}

/** Opens an installation with the provider's variables; `onOutput` gets what the engine prints. */
export type Open = (
  env: Readonly<Record<string, string>>,
  onOutput: (text: string) => void,
) => Promise<Installation>;
