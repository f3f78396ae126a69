/** Which faults strike a request. */
import type { Random } from "../random";
import type { Effect, Fault } from "./effects";

export interface FaultTarget {
  readonly method: string;
  /** Below the base address. */
  readonly path: string;
  readonly query: URLSearchParams;
}

/** A fault and how often it matched and struck. */
export interface FaultState {
  readonly fault: Fault;
  readonly matched: number;
  readonly struck: number;
}

export interface Faults {
  set(faults: readonly Fault[]): void;
  list(): FaultState[];
  /** Effects on this request, in the order of the list; counts it. */
  strike(target: FaultTarget): Effect[];
}

interface Active {
  readonly fault: Fault;
  readonly pattern: RegExp;
  matched: number;
  struck: number;
}

/** `/servers/*` matches one segment, `/**` any number. From `^` on it is a regular expression. */
export function pathPattern(path: string): RegExp {
  if (path.startsWith("^")) return new RegExp(path);
  const glob = path.replace(/^\/v1(?=\/)/, "");
  const source = glob.replace(/\*\*|\*|[.+?^$()[\]{}|\\]/g, (found) =>
    found === "**" ? ".*" : found === "*" ? "[^/]*" : `\\${found}`,
  );
  return new RegExp(`^${source}$`);
}

export function createFaults(random: Random): Faults {
  let active: Active[] = [];

  const matches = ({ fault, pattern }: Active, { method, path, query }: FaultTarget): boolean =>
    (fault.match.method === undefined || fault.match.method.toUpperCase() === method) &&
    pattern.test(path) &&
    Object.entries(fault.match.query ?? {}).every(([name, value]) => query.get(name) === value);

  const strikes = ({ fault, matched, struck }: Active): boolean => {
    const turn = matched - fault.skip;
    if (turn < 1) return false;
    if (fault.times !== undefined) return struck < fault.times;
    if (fault.every !== undefined) return turn % fault.every === 0;
    return fault.probability === undefined || random() < fault.probability;
  };

  return {
    set: (faults) => {
      active = faults.map((fault) => ({
        fault,
        pattern: pathPattern(fault.match.path ?? "/**"),
        matched: 0,
        struck: 0,
      }));
    },
    list: () => active.map(({ fault, matched, struck }) => ({ fault, matched, struck })),
    strike: (target) =>
      active.flatMap((each) => {
        if (!matches(each, target)) return [];
        each.matched += 1;
        if (!strikes(each)) return [];
        each.struck += 1;
        return [each.fault.effect];
      }),
  };
}
