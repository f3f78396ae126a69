/** What Pulumi's SDK learns of the stack while it constructs a resource. */
import { join, sep } from "node:path";

type Format = (error: Error, sites: NodeJS.CallSite[]) => unknown;

/** Frames of the SDK that it skips itself, and one of ours: `callsites` to `ErpHostResource`. */
const SKIPPED_FRAMES = 5;
const OWN_FOLDER = join(__dirname, "..") + sep;
/** What runs every program. */
const RUNNERS = /[\\/]node_modules[\\/](?:@pulumi[\\/]pulumi|ts-node)[\\/]/;

/**
 * Shortens the stack traces that are formatted until the function that it returns is called. The
 * SDK formats four for each property of a resource, and shows them only to somebody who looks for
 * promises that leak: with the source maps of ts-node they would be most of the work, so they are
 * left empty. The one that tells where a resource is declared, and goes into the state, keeps the
 * frames of the program alone. Errors with a message, and those that are formatted later, have
 * their stack as ever.
 */
export function shortenTraces(): () => void {
  if (process.env["PULUMI_DEBUG_PROMISE_LEAKS"]) return () => undefined;
  // A program may have removed it, which the types do not know.
  const host: { prepareStackTrace?: Format } = Error;
  const format = host.prepareStackTrace;
  if (format === undefined) return () => undefined;
  host.prepareStackTrace = (error, sites) => {
    if (error.message !== "") return format(error, sites);
    // Only for the whole stack does the SDK lift the limit.
    if (Error.stackTraceLimit !== Infinity) return String(error);
    return format(error, [
      ...sites.slice(0, SKIPPED_FRAMES),
      ...sites.slice(SKIPPED_FRAMES).filter(isOfProgram),
    ]);
  };
  return () => {
    host.prepareStackTrace = format;
  };
}

function isOfProgram(site: NodeJS.CallSite): boolean {
  const file = site.getFileName() ?? "node:";
  return !file.startsWith("node:") && !file.startsWith(OWN_FOLDER) && !RUNNERS.test(file);
}
