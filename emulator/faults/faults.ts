/** Decides which faults strike a request. */
import type { Random } from "../random";
import type { Effect, Fault } from "./effects";

/** The request, as far as faults can match it. */
export interface FaultTarget {
  readonly method: string;
  /** Below the base address. */
  readonly path: string;
  readonly query: URLSearchParams;
}

/** A fault, and how often it matched and struck. */
export interface FaultState {
  readonly fault: Fault;
  readonly matched: number;
  readonly struck: number;
}

interface Active {
  readonly fault: Fault;
  readonly pattern: RegExp;
  matched: number;
  struck: number;
}

/** `/servers/*` matches one segment, `/**` any number. `^` starts a regular expression. */
export function pathPattern(path: string): RegExp {
  if (path.startsWith("^")) return new RegExp(path);
  const glob = path.replace(/^\/v1(?=\/)/, "");
  const source = glob.replace(/\*\*|\*|[.+?^$()[\]{}|\\]/g, (token) =>
    token === "**" ? ".*" : token === "*" ? "[^/]*" : `\\${token}`,
  );
  return new RegExp(`^${source}$`);
}

const matches = ({ fault, pattern }: Active, { method, path, query }: FaultTarget): boolean =>
  (fault.match.method === undefined || fault.match.method.toUpperCase() === method) &&
  pattern.test(path) &&
  Object.entries(fault.match.query ?? {}).every(([name, value]) => query.get(name) === value);

/** The faults that are set now, with their counts. */
export class Faults {
  private active: Active[] = [];

  constructor(private readonly random: Random) {}

  /** Replaces all faults; counts start at 0. */
  set(faults: readonly Fault[]): void {
    this.active = faults.map((fault) => ({
      fault,
      pattern: pathPattern(fault.match.path ?? "/**"),
      matched: 0,
      struck: 0,
    }));
  }

  /** All faults and how often they struck. */
  list(): FaultState[] {
    return this.active.map(({ fault, matched, struck }) => ({ fault, matched, struck }));
  }

  /** The effects on a request, in the order of the list; counts it. */
  strike(target: FaultTarget): Effect[] {
    return this.active.flatMap((each) => {
      if (!matches(each, target)) return [];
      each.matched += 1;
      if (!this.strikes(each)) return [];
      each.struck += 1;
      return [each.fault.effect];
    });
  }

  private strikes({ fault, matched, struck }: Active): boolean {
    const turn = matched - fault.skip;
    if (turn < 1) return false;
    if (fault.times !== undefined) return struck < fault.times;
    if (fault.every !== undefined) return turn % fault.every === 0;
    return fault.probability === undefined || this.random() < fault.probability;
  }
}
