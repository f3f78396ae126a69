/** Every message there is, by its code. A new one is one entry in one of these files. */
import { callsMessages } from "./calls";
import { connectionMessages } from "./connection";
import { engineLookups } from "./engine-lookups";
import { engineProgress } from "./engine-progress";
import { engineRefusals } from "./engine-refusals";
import { engineWarnings } from "./engine-warnings";
import { accountMessages } from "./engine/account";
import { scopeMessages } from "./engine/scope";
import { constructAccountsMessages } from "./faces/construct-accounts";
import { constructsMessages } from "./faces/constructs";
import { plansMessages } from "./faces/plans";
import { pulumiMessages } from "./faces/pulumi";
import { terraformMessages } from "./faces/terraform";
import { inputMessages } from "./input";
import { listsMessages } from "./lists";
import { settingsMessages } from "./settings";
import { waitingMessages } from "./waiting";
import { webhooksMessages } from "./webhooks";

export const catalogue = {
  ...inputMessages,
  ...callsMessages,
  ...connectionMessages,
  ...listsMessages,
  ...waitingMessages,
  ...settingsMessages,
  ...webhooksMessages,
  ...engineRefusals,
  ...accountMessages,
  ...engineLookups,
  ...scopeMessages,
  ...engineWarnings,
  ...engineProgress,
  ...terraformMessages,
  ...constructAccountsMessages,
  ...constructsMessages,
  ...pulumiMessages,
  ...plansMessages,
} as const;
