/** Decides which faults strike a request. */
import { isDeepStrictEqual } from "node:util";
import { createContext, Script } from "node:vm";
import { isRecord } from "../../provider/contract";
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
  /** Why it strikes nothing any more. */
  readonly problem?: string;
}

/** The same, counting, with what tells which paths fit. */
type Active = { -readonly [Name in keyof FaultState]: FaultState[Name] } & {
  readonly pattern: PathPattern;
};

/** Whether a path fits. @throws Error with the code ERR_SCRIPT_EXECUTION_TIMEOUT */
type PathPattern = (path: string) => boolean;

/** No honest expression takes that long, whatever else the machine does. */
const PATTERN_MS_MAX = 200;

/** `/servers/*` matches one segment, `/**` any number. `^` starts a regular expression. */
export function pathPattern(path: string): PathPattern {
  if (path.startsWith("^")) return expression(path);
  const glob = path.replace(/^\/v1(?=\/)/, "");
  const source = glob.replace(/\*\*|\*|[.+?^$()[\]{}|\\]/g, (token) =>
    token === "**" ? ".*" : token === "*" ? "[^/]*" : `\\${token}`,
  );
  // With one star there is nothing to try in more than one way.
  if ((glob.match(/\*+/g)?.length ?? 0) > 1) return expression(`^${source}$`);
  const pattern = new RegExp(`^${source}$`);
  return (text) => pattern.test(text);
}

/** An expression can take exponential time, so that each match has an end. */
function expression(source: string): PathPattern {
  const context = createContext({ pattern: new RegExp(source), path: "" });
  const script = new Script("pattern.test(path)");
  return (path) => {
    context["path"] = path;
    return script.runInContext(context, { timeout: PATTERN_MS_MAX }) === true;
  };
}

function matches(each: Active, { method, path, query }: FaultTarget): boolean {
  const { match } = each.fault;
  if (each.problem !== undefined) return false;
  if (match.method !== undefined && match.method.toUpperCase() !== method) return false;
  if (Object.entries(match.query ?? {}).some(([name, value]) => query.get(name) !== value)) {
    return false;
  }
  try {
    return each.pattern(path);
  } catch (error) {
    if (!isRecord(error) || error["code"] !== "ERR_SCRIPT_EXECUTION_TIMEOUT") throw error;
    each.problem = `its path took longer than ${PATTERN_MS_MAX} ms to match, and is not tried again`;
    return false;
  }
}

/** The faults that are set now, with their counts. */
export class Faults {
  private active: Active[] = [];

  constructor(private readonly random: Random) {}

  /** Replaces all faults. Counts start at 0, except, where they are kept, those of the same faults. */
  set(faults: readonly Fault[], keepsCounts = false): void {
    const before = keepsCounts ? [...this.active] : [];
    this.active = faults.map((fault) => {
      const at = before.findIndex((each) => isDeepStrictEqual(each.fault, fault));
      const [same] = at < 0 ? [] : before.splice(at, 1);
      return (
        same ?? { fault, pattern: pathPattern(fault.match.path ?? "/**"), matched: 0, struck: 0 }
      );
    });
  }

  list(): FaultState[] {
    return this.active.map(({ pattern: _, ...state }) => state);
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
