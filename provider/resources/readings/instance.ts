import * as z from "zod";
import { optional } from "../../contract";
import type { Reading } from "../define";

export const instance: Reading = {
  name: "instance",
  options: {
    backup_before_upgrade: optional(
      "assumed",
      z.boolean(),
      "Creates a backup and waits for it before `version` changes; default false.",
    ),
  },
  backupBefore: { field: "version", option: "backup_before_upgrade" },
};
