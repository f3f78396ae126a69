/** Every message there is, by its code. A new one is one entry in one of these files. */
import { inputMessages } from "./input";
import { settingsMessages } from "./settings";
import { webhooksMessages } from "./webhooks";

export const catalogue = { ...inputMessages, ...settingsMessages, ...webhooksMessages } as const;
