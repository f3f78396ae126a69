/**
 * Rewrites an exported stack, from the dynamic resources to the plugin. The service is not called, and
 * what only the state knows (a key's secret) is kept, which an import could not do.
 */
import * as z from "zod";
import { camel, isRecord } from "../../contract";
import { kinds, type Kind } from "../../resources";
import { ACCOUNT_KEY, STATE_KEY } from "../values";
import { PACKAGE, typeToken } from "./values/tokens";

const resourceSchema = z.looseObject({
  urn: z.string(),
  type: z.string(),
  id: z.string().optional(),
  inputs: z.record(z.string(), z.unknown()).optional(),
  outputs: z.record(z.string(), z.unknown()).optional(),
});
const exportSchema = z.looseObject({
  deployment: z.looseObject({
    resources: z.array(resourceSchema).optional(),
    pending_operations: z.array(z.unknown()).optional(),
  }),
});
type Resource = z.output<typeof resourceSchema>;

export interface Moved {
  /** For `pulumi stack import`. */
  readonly state: Record<string, unknown>;
  readonly count: number;
  /** Providers that the next preview shows as changed: the state has neither their address nor key. */
  readonly accounts: readonly string[];
}

const DYNAMIC = /pulumi-nodejs:dynamic\/erphost:([A-Za-z]+)/g;
const byTitle = new Map(Object.values(kinds).map((kind) => [kind.title, kind]));

/**
 * @param exported what `pulumi stack export` wrote, parsed
 * @param newId makes ids, for the providers that the resources belong to from now on
 * @throws where it is not a stack, or the stack's last run was interrupted
 */
export function moveStack(exported: unknown, version: string, newId: () => string): Moved {
  const parsed = exportSchema.safeParse(exported);
  if (!parsed.success) {
    throw new Error("This is not an exported stack. Pass the output of `pulumi stack export`.");
  }
  const { deployment } = parsed.data;
  if ((deployment.pending_operations ?? []).length > 0) {
    throw new Error(
      "The stack's last run was interrupted, so it may have created objects that are not in the state. Run `pulumi up` with the dynamic resources again, which finds them, then `pulumi refresh --yes --clear-pending-creates`, and export again.",
    );
  }
  const resources = deployment.resources ?? [];
  const [first] = resources.filter((resource) => kindOf(resource) !== undefined);
  if (!first)
    throw new Error("The stack has no dynamic resources of erphost, so there is nothing to move.");
  const providers = new Providers(resources, version, newId);
  const moved = resources.flatMap((resource) => {
    const kind = kindOf(resource);
    if (kind) return [{ ...rewritten(kind, resource), provider: providers.referenceOf(resource) }];
    return providers.has(resource) ? [] : [renamed(resource)];
  });
  // A provider comes before everything that belongs to it; its own parent is the stack.
  const at = resources.findIndex((each) => each === first || providers.has(each));
  moved.splice(at, 0, ...providers.all);
  const state = { ...parsed.data, deployment: { ...deployment, resources: moved } };
  const count = resources.filter((resource) => kindOf(resource) !== undefined).length;
  return { state, count, accounts: providers.accounts };
}

function kindOf({ type }: Resource): Kind | undefined {
  const title = new RegExp(`^${DYNAMIC.source}$`).exec(type)?.[1];
  return title === undefined ? undefined : byTitle.get(title);
}

/** The providers that the resources belong to: one for each account that they name. */
class Providers {
  private readonly used = new Map<string, Resource>();

  constructor(
    private readonly resources: readonly Resource[],
    private readonly version: string,
    private readonly newId: () => string,
  ) {
    for (const resource of resources) if (kindOf(resource)) this.referenceOf(resource);
  }

  get accounts(): readonly string[] {
    const named = this.resources.map(({ inputs }) => inputs?.[ACCOUNT_KEY]);
    return [...new Set(named.filter((name) => typeof name === "string"))];
  }

  get all(): readonly Resource[] {
    return [...this.used.values()];
  }

  /** Whether it is a provider that the stack had before, which keeps its id. */
  has(resource: Resource): boolean {
    return this.used.get(resource.urn) === resource;
  }

  referenceOf(resource: Resource): string {
    const urn = this.urnOf(resource);
    const provider = this.used.get(urn) ?? this.existing(urn) ?? this.create(urn);
    this.used.set(urn, provider);
    return `${urn}::${provider.id ?? ""}`;
  }

  /** A program gives the provider of an account that account's name. */
  private urnOf({ urn, inputs }: Resource): string {
    const [, , stack = "", , project = ""] = urn.split(":").slice(0, 5);
    const { [ACCOUNT_KEY]: account } = inputs ?? {};
    const name =
      typeof account === "string" ? account : `default_${this.version.replace(/[.+-]/g, "_")}`;
    return `urn:pulumi:${stack}::${project}::${PROVIDER}::${name}`;
  }

  private existing(urn: string): Resource | undefined {
    return this.resources.find((resource) => resource.urn === urn);
  }

  private create(urn: string): Resource {
    const version = { version: this.version };
    const own = { inputs: version, outputs: version };
    return { urn, custom: true, id: this.newId(), type: PROVIDER, ...own };
  }
}

const PROVIDER = `pulumi:providers:${PACKAGE}`;

function rewritten(kind: Kind, resource: Resource): Record<string, unknown> {
  const inputs = new Set(kind.inputs.map(([name]) => camel(name)));
  const outputs = new Set([...Object.keys(kind.fields).map(camel), STATE_KEY]);
  const only = (values: Record<string, unknown> | undefined, keys: ReadonlySet<string>) =>
    Object.fromEntries(Object.entries(values ?? {}).filter(([key]) => keys.has(key)));
  return {
    ...(renamed(resource) as object),
    inputs: only(resource.inputs, inputs),
    outputs: only(resource.outputs, outputs),
  };
}

/** URNs contain the types of a resource and of its parents, and occur in many members. */
function renamed(value: unknown): unknown {
  if (typeof value === "string") {
    return value.replace(DYNAMIC, (whole, title: string) => {
      const kind = byTitle.get(title);
      return kind ? typeToken(kind) : whole;
    });
  }
  if (Array.isArray(value)) return value.map(renamed);
  if (!isRecord(value)) return value;
  // A resource's values are data: only what Pulumi keeps next to them names other resources.
  return Object.fromEntries(
    Object.entries(value).map(([key, inner]) => [
      renamed(key),
      key === "inputs" || key === "outputs" ? inner : renamed(inner),
    ]),
  );
}
