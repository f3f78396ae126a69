/** `npm run release:rehearse`: publishes a release here, and has strangers install and use it. */
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { listenForInterrupts, onInterrupt } from "../../scripts/bootstrap/interrupt.cjs";
import { chosen, FIGURES, folder, runCommand } from "../support/command-line";
import { installationsSchema } from "../support/figures";
import { recorded } from "../support/measurement";
import { cdktf } from "./faces/cdktf";
import type { Face } from "./faces/face";
import { dynamic, nodeSdk, pythonSdk, yaml } from "./faces/pulumi";
import { terraform, tofu } from "./faces/terraform";
import { Registries } from "./registries/all";
import { countLine, failures, rowsTable, Stage, type Row } from "./stage";

/** In the order in which they are rehearsed. */
const faces: readonly Face[] = [dynamic, yaml, nodeSdk, pythonSdk, terraform, tofu, cdktf];

const HELP = `npm run release:rehearse -- [OPTIONS]: builds a release, publishes it to registries on
this machine, installs every face from them as a stranger, and uses it against the emulator of the
installed package.

${faces.map(({ name, about }) => `  ${name.padEnd(12)}${about}`).join("\n")}

  --only A,B   rehearses these alone; may be repeated
  --json DIR   where rehearsal.json is written (default: dist/figures);
               docs/figures has what was committed last

npm packages of others come through the registry that npm is configured with. The exit code is 1 if
anything fails, or if nothing was rehearsed.
`;

/** @throws UsageError if the call is wrong */
function readCall(args: readonly string[]) {
  const { values } = parseArgs({
    args: [...args],
    options: {
      only: { type: "string", multiple: true, default: [] },
      json: { type: "string", default: FIGURES },
    },
  });
  const only = values.only.flatMap((names) => names.split(","));
  return {
    faces: chosen("Face", only, faces),
    folder: folder(values.json),
    /** As a person types it. */
    command: `npm run release:rehearse${only.length > 0 ? ` -- --only ${only.join(",")}` : ""}`,
  };
}

/** @returns what was found, in the order in which it was tried */
async function rehearse(wanted: readonly Face[]): Promise<readonly Row[]> {
  const place = mkdtempSync(join(tmpdir(), "erphost-rehearsal-"));
  const remove = (): void => rmSync(place, { recursive: true, force: true, maxRetries: 3 });
  const forget = onInterrupt(remove);
  const registries = new Registries(place);
  try {
    const stage = new Stage(place, registries);
    // Without our package nothing else can be tried.
    await registries.npm();
    for (const face of wanted) await rehearseOne(face, stage);
    return stage.rows;
  } finally {
    await registries.stop();
    remove();
    forget();
  }
}

/** What cannot even begin, such as a build that fails, is a failure like others. */
async function rehearseOne(face: Face, stage: Stage): Promise<void> {
  try {
    await face.rehearse(stage);
  } catch (error) {
    await stage.attempt({
      face: face.name,
      platform: "",
      command: "",
      use: () => Promise.reject(error instanceof Error ? error : new Error(String(error))),
    });
  }
}

runCommand(async (args) => {
  const call = readCall(args);
  listenForInterrupts();
  const about = "a release, published to registries on this machine and installed by strangers";
  const of = { name: "rehearsal", about, command: call.command, folder: call.folder };
  const { installations: rows } = await recorded(installationsSchema, of, async () => ({
    installations: await rehearse(call.faces),
  }));
  process.stdout.write([rowsTable(rows), "", ...failures(rows), countLine(rows), ""].join("\n"));
  return failures(rows).length === 0 ? 0 : 1;
}, HELP);
