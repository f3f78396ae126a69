/** `npm run soak`: loads one client under limits and watches its memory. */
import { join } from "node:path";
import { parseArgs } from "node:util";
import { runCommand, wholeNumber } from "../support/command-line";
import { writeReport } from "../support/report";
import { soak } from "./load";

const REPORT = join(__dirname, "..", "..", "dist", "soak.json");
/** More than a client needs that keeps nothing; a leak of one record per create is far above. */
const GROWTH_MAX_MB_PER_MINUTE = 1;
const REFUSED_MAX = 0.01;

const HELP = `npm run soak -- [OPTIONS]: loads one client under limits and watches its memory.

  --minutes N  how long (default: 5)
  --objects N  how many objects exist at a time (default: 500)

Writes dist/soak.json. The exit code is 1 if a write is lost, memory grows, or calls are refused.
`;

runCommand(async () => {
  const { values } = parseArgs({
    options: {
      minutes: { type: "string", default: "5" },
      objects: { type: "string", default: "500" },
      help: { type: "boolean", short: "h", default: false },
    },
  });
  if (values.help) {
    process.stdout.write(HELP);
    return 0;
  }
  const minutes = wholeNumber("minutes", values.minutes);
  const result = await soak({
    ms: minutes * 60_000,
    objects: wholeNumber("objects", values.objects),
    rate: 100,
    onProgress: (text) => void process.stderr.write(`${text}\n`),
  });
  writeReport(REPORT, { minutes, ...result });
  const { calls, creates, refusedCount, growthMbPerMinute, failures, heapMb } = result;
  const refused = refusedCount / Math.max(1, calls);
  const lines = [
    `calls      ${calls}, including ${creates} creates`,
    `429        ${(100 * refused).toFixed(2)} % (at most ${100 * REFUSED_MAX} %)`,
    `heap       ${Math.min(...heapMb)} to ${Math.max(...heapMb)} MiB, growing by ${growthMbPerMinute.toFixed(2)} MiB per minute (at most ${GROWTH_MAX_MB_PER_MINUTE})`,
    ...failures.map((text) => `✗ ${text}`),
  ];
  process.stdout.write(`${lines.join("\n")}\n`);
  const grows = growthMbPerMinute > GROWTH_MAX_MB_PER_MINUTE;
  return failures.length > 0 || grows || refused > REFUSED_MAX ? 1 : 0;
});
