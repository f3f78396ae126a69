/** What the demo asks of an engine: one installation, declared in its language. */

export interface Command {
  readonly code: number | null;
  readonly output: string;
}

/** What the program can be told from outside. */
export interface Settings {
  readonly release: string;
  readonly keyEpoch: string;
  readonly protect: "true" | "false";
  /** Where the instance lives. */
  readonly erpServer: "production" | "staging";
}

export interface Installation {
  /** The engine's commands, as a person types them. */
  readonly commands: Readonly<Record<"preview" | "up" | "refresh" | "destroy", string>>;
  /** How the state keeps a key's secret. */
  readonly secret: string;
  set<S extends keyof Settings>(setting: S, value: Settings[S]): Promise<void>;
  /** Shows what an `up` would do; a failure is an answer. */
  preview(): Promise<Command>;
  /** Fails where there is something to do. */
  previewUnchanged(): Promise<Command>;
  /** Brings the state to what the service has. */
  refresh(): Promise<Command>;
  /** Fails where the service has something else than the state. */
  refreshUnchanged(): Promise<Command>;
  up(): Promise<Command>;
  destroy(): Promise<Command>;
  /** Id of the pipeline's key. */
  keyId(): Promise<string>;
  /** How many objects a preview would make. */
  planned(output: string): string | undefined;
  /** Lines of a preview that tell what changes. */
  changesIn(output: string): readonly string[];
  remove(): void;
}

/** Opens an installation with the provider's variables; `onOutput` is told what the engine prints. */
export type Open = (
  env: Readonly<Record<string, string>>,
  onOutput: (text: string) => void,
) => Promise<Installation>;
