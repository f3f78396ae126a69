/** The engines of a process, one for each account that its program names. */
import { InvalidInput, type Values } from "../contract";
import { EngineError, openEngine, plannedDelete } from "../engine";
import type { Engine, State, Surroundings } from "../engine";
import { sentence, type Message, type Subject } from "../messages";
import type { Kind } from "../resources";
import { accountPath, settingsOf, type Sources } from "./settings";
import { voiceOf } from "./voice";

/**
 * Pulumi ends its providers in the same way where it could not write its state. Stacks of one name in
 * two backends or organizations look alike: what one may have lost is not given to another.
 */
export const AFTER_PULUMI = { storesLater: true, takesBack: false };

export interface EnginesParts extends Pick<Sources, "get" | "keys"> {
  readonly surroundings: Surroundings;
  /** Shows a warning, which is a whole sentence. */
  readonly warn: (text: string) => void;
  /** Takes one line per attempt of a call. */
  readonly logCall: (line: string) => void;
}

/** Protected objects that Pulumi has shown, by URN: it replaces some without asking for a difference. */
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
  async assertCreatable(
    urn: string | undefined,
    { engine, kind }: { readonly engine: Engine; readonly kind: Kind },
    inputs: Values,
  ): Promise<void> {
    const held = this.get(urn);
    if (!held) return;
    const turnedOff = inputs["deletion_protection"] !== true;
    const { refused } = plannedDelete(await engine.observe(kind, {}), held, turnedOff);
    if (refused) throw new EngineError(refused);
  }
}

/** Each account has its own pacing, intents, guards and lists, like runs of two programs. */
export class Engines {
  private readonly opened = new Map<string | undefined, Engine>();
  private readonly asked = new Map<string | undefined, Promise<void>>();

  constructor(private readonly parts: EnginesParts) {}

  /**
   * The engine of a named account, or of the stack's default one. Makes no call.
   * @param held the object that it is asked for, where a state has one
   * @throws EngineError, InvalidInput: what is wrong with its configuration
   */
  of(account: string | undefined, held?: Subject): Engine {
    const known = this.opened.get(account);
    if (known) return known;
    const engine = this.open(account, held);
    this.opened.set(account, engine);
    return engine;
  }

  private open(account: string | undefined, held: Subject | undefined): Engine {
    const { surroundings, warn, logCall } = this.parts;
    const { given, env } = settingsOf(account, { ...this.parts, env: surroundings.env }, held);
    try {
      return openEngine({
        given,
        surroundings: { ...surroundings, env },
        warn: (message: Message) => warn(sentence(voiceOf(account), message)),
        logCall,
      });
    } catch (error) {
      if (account === undefined || !(error instanceof InvalidInput)) throw error;
      const issues = error.issues.map((one) => ({ ...one, path: accountPath(account, one.path) }));
      throw new InvalidInput(error.subject, issues);
    }
  }

  /**
   * One call before the first resource of an account.
   * @throws what no other call could succeed with, to the first who asks: the client repeats it
   */
  preflight(account: string | undefined): Promise<void> {
    const first = this.asked.get(account) ?? this.of(account).preflight();
    this.asked.set(
      account,
      first.catch(() => undefined), // Whoever asked first receives it.
    );
    return first;
  }

  async close(): Promise<void> {
    await Promise.all([...this.opened.values()].map((engine) => engine.close(AFTER_PULUMI)));
  }
}
