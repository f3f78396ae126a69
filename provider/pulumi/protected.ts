/** Protected objects that Pulumi has shown: it replaces some without asking for a difference. */
import { EngineError, plannedDelete, type Engine, type State } from "../engine";
import type { Values } from "../contract";
import type { Kind } from "../resources";

type Asked = Readonly<{ engine: Engine; kind: Kind }>;

/** By URN. */
export class Protected extends Map<string | undefined, State> {
  /** Notes the object of a declaration as it was read; undefined once there is none. */
  note(urn: string | undefined, state: State | undefined): void {
    this.delete(urn);
    if (urn && state?.values["deletion_protection"] === true) this.set(urn, state);
  }

  /** Notes what alone is shown before a `replacementTrigger` or `replaceWith`: inputs, without an id. */
  noteInputs(urn: string | undefined, values: Values, { account }: Engine): void {
    if (this.has(urn)) return;
    this.note(urn, { id: "", values, private: { account, profile: "", managed: [], echo: {} } });
  }

  /** Call before a create. @throws EngineError where it would replace a protected object */
  async assertCreatable(urn: string | undefined, { engine, kind }: Asked, inputs: Values) {
    const held = this.get(urn);
    if (!held) return;
    const turnedOff = inputs["deletion_protection"] !== true;
    const { refused } = plannedDelete(await engine.observe(kind, {}), held, turnedOff);
    if (refused) throw new EngineError(refused);
  }
}
