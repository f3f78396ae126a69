import * as z from "zod";
import { optional, output, required } from "../../contract";
import { allowSelfRotation, recipient, rotateAfter, rotationOutputs, triggers } from "../define";
import type { Reading } from "../define";

export const apiKeyRotation: Reading = {
  name: "api_key_rotation",
  doc: "Rotates an API key that was created elsewhere, such as in the dashboard. Creating it rotates once; destroying it changes nothing in the service.",
  options: {
    key_id: required(
      "documented",
      z.string().min(1),
      "Id of the key to rotate: one that no program declares as an API key, which rotates itself.",
      { immutable: true, references: "api_key", example: "key_1" },
    ),
    triggers: triggers("rotates the key"),
    rotate_after: rotateAfter,
    rotate_on_create: optional(
      "assumed",
      z.boolean(),
      "Whether creating this rotates the key at once; default true. Otherwise the first trigger does.",
    ),
    recipient,
    allow_self_rotation: allowSelfRotation,
  },
  outputs: {
    ...rotationOutputs,
    created_at: output("assumed", z.string(), "When this resource was first applied.", {
      always: true,
    }),
  },
  rotates: "existing-key",
};
