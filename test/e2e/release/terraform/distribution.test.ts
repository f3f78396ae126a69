/** What `npm run build:terraform` builds, used without Node.js and without a registry. */
import { existsSync, readlinkSync, rmSync } from "node:fs";
import { dirname, join } from "node:path";
import { expect, test } from "@jest/globals";
import { schemaJson } from "../../../../scripts/generate/cdktf/schema-json";
import { ERPHOST, platformOf } from "../../../../scripts/release/terraform/layout";
import { HEADER, MIRROR, onPath, REGISTRY } from "../../../harness/terraform-workspace";
import { BOTH, describeOn } from "../../support/engines";
import { expectDone } from "../../support/output";

const PACKED = join(MIRROR, "../terraform-network-mirror");

describeOn(BOTH, (ground) => {
  test("the mirror, the zip files and the lock entries work offline, without Node.js, and what they install prints the schema that the constructs are generated from", async () => {
    const { engine } = ground;
    const here = await ground.open(HEADER);
    const platform = platformOf(process.platform, process.arch);
    const place = [REGISTRY[engine], ERPHOST.source, ERPHOST.version];
    const installed = () =>
      readlinkSync(join(here.folder, ".terraform/providers", ...place, platform));
    const laidOut = installed();
    rmSync(join(here.folder, ".terraform"), { recursive: true });
    expectDone(await here.run("init", "-lockfile=readonly"));
    // Most tests begin with what the harness lays out in place of `init`.
    expect(installed()).toBe(laidOut);
    // PATH offers nothing else of the machine.
    const path = { PATH: dirname(onPath(engine) ?? "") };
    expect(existsSync(join(path.PATH, "node"))).toBe(false);
    const schema = here.start(["providers", "schema", "-json"], path);
    const { stdout } = expectDone(await schema.finished);
    // As the engines document it.
    const printed = JSON.parse(stdout) as { provider_schemas: Record<string, object> };
    const [ours] = Object.values(schemaJson()["provider_schemas"] as Record<string, unknown>);
    const text = (value: unknown): unknown => JSON.parse(JSON.stringify(value));
    const [all = {}] = Object.values(printed.provider_schemas);
    const isNewer = (name: string): boolean => /^(?:action|list_resource|.*identity)_/.test(name);
    const [since12, since14] = [ground.is("1.12"), engine === "terraform" && ground.is("1.14")];
    expect(Object.keys(all).filter(isNewer)).toHaveLength(Number(since12) + 2 * Number(since14));
    const older = Object.fromEntries(Object.entries(all).filter(([name]) => !isNewer(name)));
    // What newer engines know as well is of no use to the constructs.
    expect(older).toEqual(text(ours));

    rmSync(join(here.folder, ".terraform"), { recursive: true });
    expectDone(await here.run("init", "-lockfile=readonly", `-plugin-dir=${PACKED}`));
  });
});
