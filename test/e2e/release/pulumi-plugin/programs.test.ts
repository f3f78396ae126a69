/** Programs that erphost brings: the example, those of its documentation, and what import writes. */
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { beforeAll, describe, expect, test } from "@jest/globals";
import type { Emulator } from "../../../../emulator";
import type { PulumiStack } from "../../../harness/pulumi-stack";
import { furnish } from "../../../support/finding";
import { opened, openedEmulator } from "../../support/opened";
import { expectDone } from "../../support/output";
import { openStack } from "../../support/pulumi-plugin";
import { describedIn, EXAMPLES } from "../../support/pulumi-sdks";
import { expectTakenOver, taking } from "../../support/taken-over";

/** The first program in YAML on a page, from the line after its runtime. */
const shownIn = (page: string): string => {
  const text = readFileSync(join(__dirname, "../../../../docs", page), "utf8");
  return /^```yaml\nname: .*\nruntime: yaml\n([^]*?)^```$/m.exec(text)?.[1] ?? "";
};

describe("in the documentation", () => {
  let emulator: Emulator;
  let stack: PulumiStack;
  beforeAll(async () => {
    emulator = await openedEmulator({ provisionMs: 50 });
    stack = opened(await openStack(emulator, {}, join(EXAMPLES, "pulumi-yaml")));
  });

  test("the YAML example and the guide's component run, plan nothing more, and are destroyed but for what is retained", async () => {
    const example = readFileSync(join(stack.program, "Pulumi.yaml"), "utf8");
    const [, resources = "", outputs = ""] = shownIn("pulumi-plugin.md").split(/^\w+:\n/m);
    const more: Readonly<Record<string, string>> = { resources, outputs };
    stack.write(
      "Pulumi.yaml",
      example.replace(/^(resources|outputs):\n/gm, (head, part: string) => head + more[part]),
    );
    expectDone(await stack.up());
    const all = await stack.outputs();
    expect(all).toMatchObject({ instanceStatus: "running", runningBefore: [] });
    expect(all["stagingName"]).toMatch(/^staging-[0-9a-f]{7}$/);
    expect(all["pipelineKey"]).toMatch(/_test_/);
    const shop = emulator.objects("instance").find(({ name }) => name === "shop");
    expect(all["instanceId"]).toBe(String(shop?.["id"]));
    expectDone(await stack.preview("--expect-no-changes"));
    expectDone(await stack.destroy());
    for (const kind of ["server", "instance"]) expect(emulator.objects(kind)).toEqual([]);
  });

  test("the YAML programs of the schema can be planned, and the guide's functions find the newest completed backup, and the newest of all", async () => {
    const account = await openedEmulator();
    furnish(account);
    stack.env["ERPHOST_BASE_URL"] = account.baseUrl;
    stack.env["ERPHOST_API_KEY"] = account.adminKey;
    const described = describedIn("yaml").map(([title, text]) =>
      text.replace("resources:\n  example:", `  ${title}:`),
    );
    expect(described.join("").match(/^ {2}[A-Z]\w+:/gm)).toHaveLength(described.length);
    const head = `name: erp-installation-yaml\nruntime: yaml\n${shownIn("guides/finding.md")}`;
    stack.write("Pulumi.yaml", `${head}resources:\n${described.join("")}`);
    const { output } = expectDone(await stack.preview());
    expect(output).toMatch(/restoreFrom *: "bak_2"/);
    const recent = output.slice(output.indexOf("recent "));
    const ids = recent.match(/(?<=\bid *: ")bak_\d(?=")/g);
    expect(ids).toEqual(["bak_5", "bak_4", "bak_3", "bak_2"]);
  });
});

describe("of erphost import", () => {
  test("an account of whatever names is taken over by Pulumi in YAML: all is imported, nothing changes", async () => {
    const account = await taking("pulumi-yaml");
    await expectTakenOver(account);
    expectDone(await account.stack.preview("--expect-no-changes"));
  });

  test("an account is taken over by Pulumi in YAML by the file of pulumi import", async () => {
    const { stack } = await taking("pulumi-yaml", {}, (emulator) => {
      emulator.createObjects("server", [{ name: "main" }, { name: "main", region: "eu" }]);
      return emulator.createObjects("instance", { name: "${a}", server_id: "srv_2" }).length;
    });
    const words = ["import", "--file", "import.json", "--generate-code=false", "--protect=false"];
    expectDone(await stack.run(...words, "--yes", "--skip-preview"));
    expectDone(await stack.preview("--expect-no-changes"));
  });
});
