/** What this process knows of the declarations of the host's program, by their identity. */
import type { Intent } from "../intents/entry";
import type { Identity } from "../types";

export interface Declaration {
  /** Whether the host has a state for it. */
  hasState?: boolean;
  /** The id in that state. */
  liveId?: string;
  /** Interrupted creates that were answered; the host holds the one that it will delete. */
  suspects?: Intent[];
}

export class Declarations {
  private readonly known = new Map<string, Declaration>();

  /** Nothing is remembered where the host gives no identity. */
  of(identity: Identity): Declaration {
    if (identity === undefined) return {};
    let declaration = this.known.get(identity);
    if (!declaration) this.known.set(identity, (declaration = {}));
    return declaration;
  }
}
