/** The inputs that a program would need to describe what was read. */
import { camel, isRecord } from "../../../contract";
import type { State } from "../../../engine";
import type { Kind } from "../../../resources";
import { toPulumi } from "../../values";

type Properties = Record<string, unknown>;

/**
 * After a refresh: the previous inputs with the service's values, so that drift shows and ignored
 * changes stay ignored. Options belong to the program and stay.
 */
export function refreshedInputs(kind: Kind, state: State, before: Properties): Properties {
  const now = toPulumi(kind, state.values);
  const fromService = new Set(
    kind.inputs.flatMap(([name, { origin }]) => (origin === "service" ? [camel(name)] : [])),
  );
  return Object.fromEntries(
    Object.entries(before).flatMap(([key, value]) => {
      if (isBag(key) && isRecord(value)) return [[key, bagNow(value, now[key])]];
      if (!fromService.has(key)) return [[key, value]];
      return key in now ? [[key, now[key]]] : [];
    }),
  );
}

const isBag = (key: string): boolean => key === "properties" || key === "secretProperties";

const bagNow = (before: Properties, now: unknown): Properties =>
  Object.fromEntries(
    Object.keys(before).flatMap((key) =>
      isRecord(now) && now[key] !== undefined && now[key] !== null ? [[key, now[key]]] : [],
    ),
  );

/**
 * After an import: the typed fields of the service. Free properties are left out: the service may own
 * them, or they may be secret, and generated code would manage them in plain text.
 */
export function importedInputs(kind: Kind, state: State): Properties {
  const names = kind.inputs.filter(([, { origin }]) => origin === "service");
  const now = toPulumi(kind, state.values);
  return Object.fromEntries(
    names.map(([name]) => camel(name)).flatMap((key) => (key in now ? [[key, now[key]]] : [])),
  );
}
