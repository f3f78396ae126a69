/** What `pulumi convert --from terraform` learns of the plugin. */
import { afterAll, describe, expect, test } from "@jest/globals";
import { camel } from "../../provider/contract";
import { mapping, mappings } from "../../provider/pulumi/plugin/methods/mapping";
import { renderSchema } from "../../provider/pulumi/plugin/schema/render";
import { openPlugin } from "./support";

const plugin = openPlugin();
afterAll(() => plugin.close());

interface Named {
  readonly tok: string;
  readonly fields: Readonly<Record<string, { readonly name: string }>>;
}
interface Mapping {
  readonly resources: Readonly<Record<string, Named>>;
  readonly dataSources: Readonly<Record<string, Named>>;
}
const ask = (key: string, provider: string) => mapping(plugin.session, { key, provider });
const answered = JSON.parse(ask("terraform", "erphost").data.toString()) as Mapping;
const schema = renderSchema({ version: "1.2.3" });

/** What only Terraform has: its own options, values that no state holds, and JSON in lists. */
const TERRAFORM_ONLY = /^(?:id|idempotency_token|\w+_wo|\w+_wo_version)$/;

describe("the mapping of Terraform's names", () => {
  test("is given to who asks for Terraform, by name or not, and to nobody else", () => {
    expect(mappings(plugin.session, { key: "terraform" })).toEqual({ providers: ["erphost"] });
    expect(mappings(plugin.session, { key: "cloudformation" })).toEqual({ providers: [] });
    for (const asked of ["erphost", ""]) {
      expect(ask("terraform", asked)).toMatchObject({ provider: "erphost" });
    }
    for (const [key, provider] of [
      ["terraform", "aws"],
      ["cloudformation", "erphost"],
    ] as const) {
      expect(ask(key, provider)).toEqual({ provider: "", data: Buffer.alloc(0) });
    }
  });

  test("leads every resource and data source to one of the schema", () => {
    for (const { tok } of Object.values(answered.resources)) {
      expect(schema.resources).toHaveProperty([tok]);
    }
    for (const { tok } of Object.values(answered.dataSources)) {
      expect(schema.functions).toHaveProperty([tok]);
    }
    const tokens = Object.values({ ...answered.resources, ...answered.dataSources }).map(
      ({ tok }) => tok,
    );
    expect(new Set(tokens).size).toBe(tokens.length);
  });

  test("leads every attribute to the property that it is in Pulumi", () => {
    expect(answered.resources["erphost_api_key"]?.fields["ip_whitelist"]?.name).toBe("ipWhitelist");
    for (const { tok, fields } of Object.values(answered.resources)) {
      const { properties = {} } = schema.resources[tok] ?? {};
      for (const [attribute, { name }] of Object.entries(fields)) {
        expect(name).toBe(camel(attribute));
        if (!TERRAFORM_ONLY.test(attribute)) expect(Object.keys(properties)).toContain(name);
      }
    }
    for (const { tok, fields } of Object.values(answered.dataSources)) {
      const { inputs, outputs } = schema.functions[tok] ?? {};
      const known = { ...inputs?.properties, ...outputs?.properties };
      for (const { name } of Object.values(fields)) expect(Object.keys(known)).toContain(name);
    }
  });
});
