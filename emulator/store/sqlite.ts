/** SQLite as Node.js has it, without its warning. */
import type * as sqlite from "node:sqlite";

/** Node.js 22 warns of SQLite at each load, which no user can help; other warnings stay. */
function load(): typeof sqlite {
  const emitWarning = process.emitWarning.bind(process);
  process.emitWarning = (warning: string | Error, ...rest: unknown[]): void => {
    if (String(warning).startsWith("SQLite is an experimental feature")) return;
    Reflect.apply(emitWarning, process, [warning, ...rest]);
  };
  try {
    return require("node:sqlite") as typeof sqlite;
  } finally {
    process.emitWarning = emitWarning;
  }
}

/** A database, in a file or in memory. */
export const { DatabaseSync } = load();
export type DatabaseSync = sqlite.DatabaseSync;
