/** Every message there is, by its code. A new one is one entry in one of these files. */
import { engineProgress } from "./engine-progress";
import { engineRefusals } from "./engine-refusals";
import { engineWarnings } from "./engine-warnings";
import { facesMessages } from "./faces";
import { inputMessages } from "./input";
import { settingsMessages } from "./settings";
import { webhooksMessages } from "./webhooks";

export const catalogue = {
  ...inputMessages,
  ...settingsMessages,
  ...webhooksMessages,
  ...engineRefusals,
  ...engineWarnings,
  ...engineProgress,
  ...facesMessages,
} as const;
