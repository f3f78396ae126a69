import { allowSelfRotation, recipient, rotateAfter, rotationOutputs, triggers } from "../define";
import type { Reading } from "../define";

export const apiKey: Reading = {
  name: "api_key",
  options: {
    triggers: triggers("rotates the key"),
    rotate_after: rotateAfter,
    recipient,
    allow_self_rotation: allowSelfRotation,
  },
  outputs: rotationOutputs,
  rotates: "own-key",
};
