import type { TerraformResource } from "cdktf";
import { camel, resolveContract } from "../../provider/contract";
import { message } from "../../provider/messages";
import { kinds, type Kind } from "../../provider/resources";
import type * as l1 from "../generated";
import { merged } from "../properties";
import { sentenceOf } from "../voice";
import { FieldAspect } from "./field-aspect";

/** A kind that has properties, as the generated constructs are named: `server`, `apiKey`. */
export type KindWithProperties = Exclude<
  keyof typeof l1,
  "apiKeyRotation" | "provider" | "providerFunctions" | `data${string}` | `ephemeral${string}`
>;

/**
 * Sets free fields of the service on every object below.
 * @example
 * new Server(stack, "web");
 * Aspects.of(app).add(new SetProperties({ region: "eu-central" }, ["server"]));
 */
export class SetProperties extends FieldAspect {
  /**
   * @param properties defaults: what a construct sets itself wins, then the nearest Aspect
   * @param only kinds to set them on, such as `["server"]`; default: all that the service can update;
   *   a backup keeps what it was made with, so that it could not follow a change
   * @throws Error if there is no such kind
   */
  constructor(
    private readonly properties: Readonly<Record<string, unknown>>,
    private readonly only?: readonly KindWithProperties[],
  ) {
    super("properties");
    const known = Object.values(kinds).filter(({ fields }) => "properties" in fields);
    const names = known.map(({ name }) => camel(name));
    const unknown = only?.find((given) => !names.includes(given));
    if (unknown !== undefined) {
      const fault = message("unknown_aspect_kind", { given: unknown, known: names });
      throw new Error(`SetProperties: ${sentenceOf(fault)}`);
    }
  }

  /** @internal */
  protected apply(resource: TerraformResource, kind: Kind): void {
    // The class is generated, so that the names agree.
    if (!(this.only?.includes(camel(kind.name) as KindWithProperties) ?? isUpdated(kind))) return;
    const now: unknown = Reflect.get(resource, "propertiesInput");
    const before = defaulted.get(resource);
    const { own, defaults } = before && before.now === now ? before : { own: now, defaults: {} };
    const all = merged(defaults, this.properties);
    const next = merged(all, own);
    defaulted.set(resource, { own, defaults: all, now: next });
    Reflect.set(resource, "properties", next);
  }
}

const isUpdated = ({ resource }: Kind): boolean =>
  resource !== undefined && Boolean(resolveContract().resources[resource].operations.update);

/**
 * What a resource sets itself, what Aspects have added, and both in one: of two Aspects the nearer
 * one is invoked later, and wins, but not over the construct.
 */
const defaulted = new WeakMap<
  TerraformResource,
  Readonly<Record<"own" | "defaults" | "now", unknown>>
>();
