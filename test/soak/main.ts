/**
 * `npm run soak -- [--minutes N] [--objects N]`: loads one client under limits, prints what memory
 * does, writes `dist/soak.json`. The exit code says whether all was as it must be.
 */
import { join } from "node:path";
import { parseArgs } from "node:util";
import { writeReport } from "../chaos/report";
import { soak } from "./load";

const REPORT = join(__dirname, "..", "..", "dist", "soak.json");
/** More than a client that keeps nothing needs; a leak of one record per create is far above. */
const GROWTH_MAX_MB_PER_MINUTE = 1;
const REFUSED_MAX = 0.01;

async function main(): Promise<number> {
  const { values } = parseArgs({
    options: {
      minutes: { type: "string", default: "5" },
      objects: { type: "string", default: "500" },
    },
  });
  const soaked = await soak({
    ms: Number(values.minutes) * 60_000,
    objects: Number(values.objects),
    rate: 100,
    say: (text) => void process.stderr.write(`${text}\n`),
  });
  writeReport(REPORT, { minutes: Number(values.minutes), ...soaked });
  const { calls, creates, refusedCount, growthMbPerMinute, failures, heapMb } = soaked;
  const refused = refusedCount / Math.max(1, calls);
  const lines = [
    `calls      ${calls}, of these creates ${creates}`,
    `429        ${(100 * refused).toFixed(2)} % (at most ${100 * REFUSED_MAX} %)`,
    `heap       ${Math.min(...heapMb)} to ${Math.max(...heapMb)} MiB, growing by ${growthMbPerMinute.toFixed(2)} MiB a minute (at most ${GROWTH_MAX_MB_PER_MINUTE})`,
    ...failures.map((text) => `✗ ${text}`),
  ];
  process.stdout.write(`${lines.join("\n")}\n`);
  const grows = growthMbPerMinute > GROWTH_MAX_MB_PER_MINUTE;
  return failures.length > 0 || grows || refused > REFUSED_MAX ? 1 : 0;
}

main().then(
  (code) => process.exit(code),
  (error: unknown) => {
    process.stderr.write(`${error instanceof Error ? error.message : String(error)}\n`);
    process.exit(1);
  },
);
