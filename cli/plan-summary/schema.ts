/** What `erphost plan-summary --format json` prints. docs/reference/plan-summary.schema.json is made of it. */
import * as z from "zod";
import { ACTIONS, RISKS } from "../../provider/plans";

const change = z.object({
  field: z.string().describe("`version`, or `properties.region`, as the program names it."),
  before: z.string().nullable().describe("As text; null for nothing. A secret is `(secret)`."),
  after: z
    .string()
    .nullable()
    .describe("The same. What is not known yet is `(known after apply)`."),
  added: z.array(z.string()).optional().describe("Of lists: elements that are new, as text."),
  removed: z.array(z.string()).optional().describe("Of lists: elements that go, as text."),
});

const object = z.object({
  address: z.string().describe("As the engine shows it; a change elsewhere has ` (in NAME)`."),
  kind: z.string().describe("`server`, `api_key` and so on."),
  id: z.string().nullable(),
  name: z.string().nullable().describe("What people call it in the service."),
  action: z
    .enum(ACTIONS)
    .describe(
      "`retain`: it leaves the state, and the service keeps it. `rotate`: a key gets a new secret.",
    ),
  changes: z.array(change).describe("Of a new object every field that is set."),
  forcedBy: z
    .array(z.string())
    .describe("What forces a replacement: fields, or the engine's reason."),
  createdFirst: z
    .boolean()
    .nullable()
    .describe(
      "Of a replacement: the new object is made before the old one goes. Null: the plan does not say.",
    ),
  keepsOld: z.boolean().describe("Of a replacement: the service keeps the old object."),
  imported: z
    .boolean()
    .describe("Whether the state takes it over, before anything else is done to it."),
  protected: z.boolean().describe("By `deletion_protection`, or by Pulumi's `protect`."),
  endsProtection: z.boolean(),
  rotation: z
    .object({
      oldKey: z.string().nullable().describe("Id of the key that ends."),
      gracePeriod: z
        .string()
        .nullable()
        .describe("How long the old key works after the rotation; null: the service's default."),
    })
    .nullable(),
  risks: z
    .array(z.object({ what: z.enum(RISKS), values: z.array(z.string()) }))
    .describe(
      "`grows`: a key may do more, or is new; `grants`: somebody gets a role; `opens`: a key may be used from everywhere; `endless`: a key never ends.",
    ),
  references: z
    .array(z.string())
    .describe("Ids of the objects that it belongs to, where they are known."),
});

const plan = z.object({
  file: z.string(),
  engine: z.enum(["terraform", "pulumi"]).describe("OpenTofu's plans are Terraform's."),
  stack: z.string().nullable().describe("Project and stack, where the plan says them."),
  complete: z.boolean().describe("False where the engine could not plan everything."),
  gap: z.string().nullable().describe("What says so, in the plan's own words."),
  counts: z.record(z.string(), z.number().int()).describe("How many objects have each action."),
  objects: z.array(object).describe("Those that change, or lose their protection."),
  drift: z.array(
    object
      .pick({ address: true, kind: true, id: true, changes: true })
      .extend({ what: z.enum(["changed", "gone"]) }),
  ),
  unnamedDrift: z
    .number()
    .int()
    .describe("How many more objects drifted, of which the preview does not say which."),
  others: z
    .array(
      z.object({
        address: z.string(),
        action: z.enum(["create", "update", "replace", "delete", "forget", "import"]),
        imported: z.boolean(),
        changes: z.array(change),
      }),
    )
    .describe("Objects of other providers that change. They are not judged."),
  otherDrift: z
    .array(z.object({ address: z.string(), what: z.enum(["changed", "gone"]) }))
    .describe("Objects of other providers that drifted. They do not count as `drift`."),
  invocations: z
    .array(
      z.object({
        address: z.string().describe("`action.erphost_backup.before`"),
        trigger: z
          .string()
          .nullable()
          .describe("`before_update of erphost_instance.web`; null: a person, with `-invoke`."),
      }),
    )
    .describe("Actions that the apply invokes, whoever's they are."),
  deferred: z.array(z.string()).describe("Addresses that the engine leaves to a later plan."),
  later: z
    .array(z.object({ address: z.string(), action: z.string() }))
    .describe("The same, with what that plan is to do: `create`, `update` and so on, or `invoke`."),
  moves: z
    .array(z.object({ from: z.string(), to: z.string() }))
    .describe("Objects that the state has at another address from now on."),
  failedChecks: z
    .array(z.object({ address: z.string(), problems: z.array(z.string()) }))
    .describe("Checks of the program that did not pass."),
  changesState: z
    .boolean()
    .describe(
      "Whether what the state alone holds changes: outputs (which previews of Pulumi do not name), addresses, Pulumi's providers and protection.",
    ),
});

/** The schema, and what is printed by it. */
export const summarySchema = z.object({
  version: z.literal(1),
  changes: z
    .boolean()
    .describe(
      "Whether applying the plans would change an object or invoke an action, or leave that to a later plan.",
    ),
  drift: z
    .boolean()
    .describe("Whether an object of erphost is not in the service as the state has it."),
  plans: z.array(plan),
  scopes: z.array(
    z.object({
      scope: z.string(),
      actions: z.array(z.string()),
      objects: z.number().int().describe("Changes that need it; 0 where only reading does."),
    }),
  ),
  calls: z.object({
    writes: z.number().int().describe("Calls that change something."),
    reads: z.number().int().describe("At least; an account with more objects takes more."),
  }),
  paces: z
    .array(
      z.object({
        names: z.array(z.string()),
        perHour: z.number().int().nullable().describe("Null: no limit."),
        waitSeconds: z.number().describe("How long the limit makes a run wait, at least."),
      }),
    )
    .describe("What the calls take under each limit of the service."),
  key: z
    .object({
      id: z.string(),
      missingScopes: z.array(z.string()),
      remaining: z.number().int().nullable().describe("Null where the service names no quota."),
      limit: z.number().int().nullable(),
      resetsAt: z.string().nullable(),
      enough: z
        .boolean()
        .nullable()
        .describe("Whether the calls fit into what remains; otherwise a run waits for more."),
    })
    .nullable()
    .describe("With --check-key; otherwise null."),
});
export type Summary = z.output<typeof summarySchema>;
export type PlanSummary = Summary["plans"][number];
export type ObjectSummary = PlanSummary["objects"][number];
export type ChangeSummary = ObjectSummary["changes"][number];
export type DriftSummary = PlanSummary["drift"][number];
