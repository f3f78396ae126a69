import { triggers, type Reading } from "../define";

export const backup: Reading = {
  name: "backup",
  options: { triggers: triggers("creates a new backup") },
  replaceOn: ["triggers"],
  whenGone: "expire",
};
