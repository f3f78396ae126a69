/** The calls that every run of Terraform makes, so that what answers them is compiled beforehand. */
import { encodeMessage } from "../../provider/grpc";
import { UNKNOWN } from "../../provider/engine";
import * as m from "../../provider/terraform/wire/messages";
import { encodeMsgpack, type RawObject } from "../../provider/terraform/wire/msgpack";
import type { WarmUp } from "./executable";

/** A debugger's provider needs no handshake, and prints its socket. */
export const terraformWarmUp = (): WarmUp => ({
  args: ["--debug"],
  address: '"String":"([^"]+)"',
  calls: calls(),
});

function calls(): WarmUp["calls"] {
  const call = (name: string, bytes: Buffer): readonly [string, string] => [
    `/tfplugin6.Provider/${name}`,
    bytes.toString("base64"),
  ];
  const value = (raw: RawObject | null) => ({ msgpack: encodeMsgpack(raw) });
  const type_name = "erphost_server";
  const config = value({ name: "warm", properties: UNKNOWN });
  const state = { id: "srv_1", name: "warm" };
  const own = Buffer.from(
    JSON.stringify({ account: {}, profile: "none", managed: ["name"], echo: {} }),
  );
  return [
    call("GetProviderSchema", Buffer.alloc(0)),
    call(
      "ValidateProviderConfig",
      encodeMessage(m.validateProviderConfigRequest, { config: value({}) }),
    ),
    call(
      "ConfigureProvider",
      encodeMessage(m.configureProviderRequest, { terraform_version: "1", config: value({}) }),
    ),
    call("ValidateResourceConfig", encodeMessage(m.typedConfigRequest, { type_name, config })),
    call(
      "PlanResourceChange",
      encodeMessage(m.planRequest, {
        type_name,
        prior_state: value(null),
        config,
        prior_private: Buffer.alloc(0),
      }),
    ),
    call(
      "PlanResourceChange",
      encodeMessage(m.planRequest, {
        type_name,
        prior_state: value(state),
        config: value({ name: "warmer" }),
        prior_private: own,
      }),
    ),
    call(
      "UpgradeResourceState",
      encodeMessage(m.upgradeRequest, {
        type_name,
        version: 0,
        raw_state: { json: Buffer.from(JSON.stringify(state)) },
      }),
    ),
    call(
      "ReadDataSource",
      encodeMessage(m.typedConfigRequest, { type_name: "erphost_auth", config: value({}) }),
    ),
  ];
}
