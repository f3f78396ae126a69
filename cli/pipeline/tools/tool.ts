/** What a pipeline asks of an engine, whichever it is. */

export const TOOLS = ["terraform", "tofu", "pulumi", "cdktf"] as const;
export type ToolName = (typeof TOOLS)[number];

export interface Planned {
  /** As the engine prints it, with secrets. */
  readonly json: string;
  /** Whether it changes outputs that the JSON does not name. */
  readonly changesOutputs: boolean;
  /** How, without secrets; undefined where the JSON names them. */
  readonly outputs?: unknown;
}

/** Every method fails with an error whose text says which command failed. */
export interface Tool {
  /** Makes the folder ready: `init`, the choice of a stack, a synthesis. */
  prepare(): Promise<void>;
  plan(): Promise<Planned>;
  /** What the engine is; of Terraform and OpenTofu the plan itself says its version. */
  version(): Promise<string>;
  /** The plan that `plan` made, as the engine shows it to people; empty where it cannot be had. */
  planText(): Promise<string>;
  drift(): Promise<string>;
  apply(): Promise<void>;
  /** Plans and applies in one process, which alone may resume what another one began. */
  resume(): Promise<void>;
  /** The value of an output, a secret one in plain text; undefined where there is none. */
  output(name: string): Promise<unknown>;
}

/** A command of an engine that failed; what it said is on stderr already. */
export class ToolError extends Error {
  override readonly name = "ToolError";

  constructor(
    program: string,
    command: string,
    /** Null: it was ended before it could store what it had done. */
    readonly code: number | null,
    /** What the program said of it. */
    readonly complaint = "",
  ) {
    super(
      code === null
        ? `${program} ${command} was ended, or could not be started.`
        : `${program} ${command} failed with exit code ${code}; what it reported is above.`,
    );
  }
}
