/** Contract profiles: what a service does otherwise than assumed, as one validated JSON object. */
import * as z from "zod";
import { message } from "../../messages";
import { resources } from "../all.gen";
import type { Fields, Resource } from "../definition/define";
import { fails } from "../input/parse";

const path = z
  .string()
  .regex(/^\/[A-Za-z0-9._~/{}-]*[A-Za-z0-9}_~-]$/, "must be a path such as /machines")
  .refine(
    // A path that climbs would leave the service's base address, and take the key along.
    (text) =>
      !text
        .split("/")
        .slice(1)
        .some((segment) => /^\.{0,2}$/.test(segment)),
    "must be a path without empty segments, . and ..",
  );
const pathOfAll = path.refine((text) => !/[{}]/.test(text), "must be a path without { and }");
const pathOfOne = path.refine(
  (text) => /^[^{}]*\{id\}[^{}]*$/.test(text),
  "must hold {id} once, and no other brace",
);
/** What every object inherits would be read where the service answers nothing under that name. */
const wireName = z
  .string()
  .regex(/^[A-Za-z_][A-Za-z0-9_-]*$/)
  .refine((name) => !(name in Object.prototype), "must not be a name that every object inherits");
const states = z.array(z.string().min(1)).min(1);

const resourceProfile = z.strictObject({
  path: pathOfAll.describe("Path of the list and of create.").optional(),
  itemPath: pathOfOne
    .describe("Path of one object; holds `{id}`. Default: the path, then `/{id}`.")
    .optional(),
  operations: z
    .strictObject({
      create: z.boolean().describe("Whether the service creates them."),
      update: z.boolean().describe("Whether the service changes them."),
      delete: z
        .boolean()
        .describe("Whether the service deletes them; without it an object is retained."),
      get: z.boolean().describe("Whether one object can be read by itself. Default false."),
    })
    .partial()
    .optional(),
  updateMethod: z
    .enum(["PATCH", "PUT"])
    .describe(
      "Method of an update. Default `PATCH`. For a `PUT` the object is read first, and all that is shown of it is sent with what changes; what the service never shows is kept only where the program gives it as a stored value.",
    )
    .optional(),
  fields: z.record(z.string(), wireName.describe("Name of the field on the wire.")).optional(),
  states: z
    .strictObject({
      initial: z.string().min(1).describe("State right after creation."),
      ready: states.describe("States in which it is ready for use."),
      failed: states.describe("States from which it never becomes ready."),
    })
    .partial()
    .optional(),
});

const kinds = Object.keys(resources);

export const profileSchema = z
  .strictObject({
    name: z.string().min(1).describe("A name for messages.").optional(),
    resources: z
      .record(z.string(), resourceProfile)
      .superRefine((given, context) => {
        for (const kind of Object.keys(given).filter((name) => !kinds.includes(name))) {
          const fault = message("unknown_resource", { known: kinds });
          context.addIssue({ code: "custom", path: [kind], ...fails(fault) });
        }
      })
      .optional(),
    authTestPath: pathOfAll.describe("Path of the key test. Default `/auth/test`.").optional(),
    rotatePath: pathOfOne
      .describe("Path of the rotation; holds `{id}`. Default `/api-keys/{id}/rotate`.")
      .optional(),
    idempotency: z
      .strictObject({
        windowHours: z
          .number()
          .min(1)
          .max(720)
          .describe("Hours that the service remembers an idempotency key. Default 24.")
          .optional(),
      })
      .optional(),
    settleWindowMs: z
      .int()
      .min(0)
      .max(600_000)
      .describe("Milliseconds that a list may lag behind a write. Default 10,000.")
      .optional(),
    unset: z
      .enum(["omit", "null"])
      .describe("What happens to a key of `properties` that is no longer set. Default `omit`.")
      .optional(),
  })
  .superRefine((profile, context) => {
    for (const [kind, given] of Object.entries(profile.resources ?? {})) {
      const owned = fieldsOf(kind);
      const path = ["resources", kind, "fields"];
      for (const name of Object.keys(given.fields ?? {})) {
        if (name === "id" || !Object.hasOwn(owned, name)) {
          const known = Object.keys(owned).filter((field) => field !== "id");
          const fault = message("not_renamable", { known });
          context.addIssue({ code: "custom", path: [...path, name], ...fails(fault) });
        }
      }
      const wire = Object.keys(owned).map((name) => given.fields?.[name] ?? name);
      const twice = wire.find((name, index) => wire.indexOf(name) !== index);
      if (twice !== undefined) {
        const fault = message("wire_name_twice", { wire: twice });
        context.addIssue({ code: "custom", path, ...fails(fault) });
      }
    }
  });

const fieldsOf = (kind: string): Fields => {
  const table: Readonly<Record<string, Resource | undefined>> = resources;
  return table[kind]?.fields ?? {};
};

/** What a user may write; every member is optional. */
export type Profile = z.input<typeof profileSchema>;
