/** Whether a program is on PATH. */
import { accessSync, constants } from "node:fs";
import { delimiter, join } from "node:path";

export const isOnPath = (program: string): boolean =>
  (process.env["PATH"] ?? "").split(delimiter).some((folder) => {
    try {
      accessSync(join(folder, program), constants.X_OK);
      return true;
    } catch {
      return false;
    }
  });
