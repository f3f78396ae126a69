/** An environment, such as staging: accounts, names and states for the stacks in it. */
import type { App, TerraformStack } from "cdktf";
import { putInStage } from "./names";
import { joined, type HandedDown } from "./settings";

/** Props of a stage. */
export type ErphostStageProps = HandedDown;

/**
 * An environment, whose stacks have its accounts, and names and states of their own. It is not a
 * construct itself: in CDKTF an app has stacks, and cdktn refuses anything else in it.
 * @example
 * const staging = new ErphostStage(app, "staging", {
 *   account: { baseUrl: "https://staging.example/v1", apiKeyVariable: "staging_key" },
 * });
 * new ErpInstallation(new ErphostStack(staging, "erp"), "accounting", { version: "17.0" });
 */
export class ErphostStage {
  readonly app: App;
  /** Its id, after those of the stages that it is in: `live`, or `live-eu`. */
  readonly name: string;
  /** What its stacks have. */
  readonly settings: HandedDown;
  private readonly declared: TerraformStack[] = [];
  private readonly outer: ErphostStage | undefined;

  constructor(scope: App | ErphostStage, id: string, props: ErphostStageProps = {}) {
    this.outer = scope instanceof ErphostStage ? scope : undefined;
    this.app = scope instanceof ErphostStage ? scope.app : scope;
    this.name = this.outer ? `${this.outer.name}-${id}` : id;
    const outer = this.outer?.settings ?? {};
    const namePrefix = props.namePrefix ?? `${outer.namePrefix ?? ""}${id}-`;
    this.settings = { ...joined(outer, props), namePrefix };
  }

  /** Its stacks, and those of the stages in it, in the order of their declaration. */
  get stacks(): readonly TerraformStack[] {
    return this.declared;
  }

  /** Called by the stack itself. @internal */
  add(stack: TerraformStack): void {
    this.declared.push(stack);
    if (this.outer) this.outer.add(stack);
    else putInStage(stack, this.name);
  }
}
