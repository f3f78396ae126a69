/** The calls that every run makes, so that what answers them is compiled at a plugin's first start. */
import { encodeMessage, type Message } from "../../../provider/grpc";
import { UNKNOWN } from "../../../provider/resources";
import * as m from "../../../provider/terraform/wire/messages.gen";
import { encodeMsgpack, type RawObject } from "../../../provider/terraform/wire/msgpack";

/** How a plugin is run once. */
export interface WarmUp {
  readonly args: readonly string[];
  /** A regular expression whose group is the port or socket in the first line of output. */
  readonly address: string;
  /** gRPC calls: the path, and the message in Base64. */
  readonly calls: readonly (readonly [path: string, message: string])[];
}

/** Pulumi's plugin prints its port; these calls take empty messages. */
export const pulumiWarmUp = (): WarmUp => ({
  args: [],
  address: "^([0-9]+)",
  calls: ["GetPluginInfo", "GetSchema", "CheckConfig", "Configure"].map((name) => [
    `/pulumirpc.ResourceProvider/${name}`,
    "",
  ]),
});

/** A debugger's provider needs no handshake, and prints its socket. */
export const terraformWarmUp = (): WarmUp => ({
  args: ["--debug"],
  address: '"String":"([^"]+)"',
  calls: calls(),
});

const value = (raw: RawObject | null) => ({ msgpack: encodeMsgpack(raw) });

const message = <T>(name: string, type: Message<T>, request: T): WarmUp["calls"][number] => [
  `/tfplugin6.Provider/${name}`,
  encodeMessage(type, request).toString("base64"),
];

function calls(): WarmUp["calls"] {
  const type_name = "erphost_server";
  const config = value({ name: "warm", properties: UNKNOWN });
  const state = { id: "srv_1", name: "warm" };
  const json = (content: object): Buffer => Buffer.from(JSON.stringify(content));
  const own = json({ account: {}, profile: "none", managed: ["name"], echo: {} });
  const create = { prior_state: value(null), config, prior_private: Buffer.alloc(0) };
  const edit = { prior_state: value(state), config: value({ name: "warmer" }), prior_private: own };
  const upgrade = { type_name, version: 0, raw_state: { json: json(state) } };
  const configure = { terraform_version: "1", config: value({}) };
  const auth = { type_name: "erphost_auth", config: value({}) };
  return [
    message("GetProviderSchema", m.empty, {}),
    message("ValidateProviderConfig", m.validateProviderConfigRequest, { config: value({}) }),
    message("ConfigureProvider", m.configureProviderRequest, configure),
    message("ValidateResourceConfig", m.typedConfigRequest, { type_name, config }),
    message("PlanResourceChange", m.planRequest, { type_name, ...create }),
    message("PlanResourceChange", m.planRequest, { type_name, ...edit }),
    message("UpgradeResourceState", m.upgradeRequest, upgrade),
    message("ReadDataSource", m.typedConfigRequest, auth),
  ];
}
