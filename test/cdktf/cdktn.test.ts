/** What cdktn has and cdktf has not. */
import { describe, expect, it } from "@jest/globals";
import { Testing, TerraformOutput, TerraformStack } from "cdktn";
import { ErphostProvider, l1, Server } from "../../cdktf-bindings/cdktn";

type Build = (stack: TerraformStack, provider: ErphostProvider) => void;

function synth(build: Build, targetVersions: Record<string, string>): unknown {
  const stack = new TerraformStack(Testing.app({ context: { targetVersions } }), "erp");
  build(stack, new ErphostProvider(stack, "provider"));
  return JSON.parse(Testing.synth(stack, true));
}

/** An ephemeral value in a write-only input, and a function of the provider. */
const build: Build = (stack, provider) => {
  const auth = new l1.ephemeralErphostAuth.EphemeralErphostAuth(stack, "auth");
  new Server(stack, "web", { secretPropertiesWo: { madeBy: auth.keyId } });
  new TerraformOutput(stack, "period", { value: provider.functions.parsePeriod("90d") });
};

describe("with cdktn", () => {
  it("there are ephemeral resources, and the functions of the provider", () => {
    expect(synth(build, { terraform: ">=1.11.0" })).toMatchObject({
      ephemeral: { erphost_auth: { auth: {} } },
      resource: {
        erphost_server: {
          web_08B6E5F3: {
            secret_properties_wo: { madeBy: "${ephemeral.erphost_auth.auth.key_id}" },
          },
        },
      },
      output: { period: { value: '${provider::erphost::parse_period("90d")}' } },
    });
  });

  it("what the wanted engines are too old for is told at synthesis", () => {
    const message = /\[erp\/web\/Resource\] write-only attributes requires terraform >=1\.11\.0/;
    expect(() => synth(build, { terraform: ">=1.10.0" })).toThrow(message);
  });
});
