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
/** What every object inherits would be read where the service answers nothing under that name. */
const wireName = z
  .string()
  .regex(/^[A-Za-z_][A-Za-z0-9_-]*$/)
  .refine((name) => !(name in Object.prototype), "must not be a name that every object inherits");
const states = z.array(z.string().min(1)).min(1);

const resourceProfile = z.strictObject({
  /** Path of the list and of create. */
  path: path.optional(),
  /** Path of one object; holds `{id}`. */
  itemPath: path.refine((text) => text.includes("{id}"), "must hold {id}").optional(),
  /** Operations switched on (an item GET, a DELETE) or off. */
  operations: z
    .strictObject({
      create: z.boolean(),
      update: z.boolean(),
      delete: z.boolean(),
      get: z.boolean(),
    })
    .partial()
    .optional(),
  updateMethod: z.enum(["PATCH", "PUT"]).optional(),
  /** Contract name → name on the wire. */
  fields: z.record(z.string(), wireName).optional(),
  states: z
    .strictObject({ initial: z.string().min(1), ready: states, failed: states })
    .partial()
    .optional(),
});

const kinds = Object.keys(resources);

export const profileSchema = z
  .strictObject({
    /** For messages. */
    name: z.string().min(1).optional(),
    resources: z
      .record(z.string(), resourceProfile)
      .superRefine((given, context) => {
        for (const kind of Object.keys(given).filter((name) => !kinds.includes(name))) {
          const fault = message("unknown_resource", { known: kinds });
          context.addIssue({ code: "custom", path: [kind], ...fails(fault) });
        }
      })
      .optional(),
    /** Path of the key test; default `/auth/test`. */
    authTestPath: path.optional(),
    /** Path of the rotation; holds `{id}`; default `/api-keys/{id}/rotate`. */
    rotatePath: path.refine((text) => text.includes("{id}"), "must hold {id}").optional(),
    idempotency: z
      .strictObject({
        /** Hours that the service remembers an idempotency key; 1 to 720, default 24. */
        windowHours: z.number().min(1).max(720).optional(),
      })
      .optional(),
    /** Milliseconds that a list may lag behind a write; 0 to 600,000, default 10,000. */
    settleWindowMs: z.int().min(0).max(600_000).optional(),
    /** What happens to a key of `properties` that is no longer set; default `omit`. */
    unset: z.enum(["omit", "null"]).optional(),
  })
  .superRefine((profile, context) => {
    for (const [kind, given] of Object.entries(profile.resources ?? {})) {
      const owned = fieldsOf(kind);
      for (const name of Object.keys(given.fields ?? {})) {
        if (name === "id" || !Object.hasOwn(owned, name)) {
          const known = Object.keys(owned).filter((field) => field !== "id");
          context.addIssue({
            code: "custom",
            path: ["resources", kind, "fields", name],
            ...fails(message("not_renamable", { known })),
          });
        }
      }
      const wire = Object.keys(owned).map((name) => given.fields?.[name] ?? name);
      const twice = wire.find((name, index) => wire.indexOf(name) !== index);
      if (twice !== undefined) {
        context.addIssue({
          code: "custom",
          path: ["resources", kind, "fields"],
          ...fails(message("wire_name_twice", { wire: twice })),
        });
      }
    }
  });

const fieldsOf = (kind: string): Fields => {
  const table: Readonly<Record<string, Resource | undefined>> = resources;
  return table[kind]?.fields ?? {};
};

/** What a user may write; every member is optional. */
export type Profile = z.input<typeof profileSchema>;
