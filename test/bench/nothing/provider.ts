/**
 * Replaces the provider's calls: the same schema, and answers that repeat the request. The time of a
 * plan with it is the time that the engine itself needs for resources of this schema.
 */
import { decodeMessage, encodeMessage, type Unary } from "../../../provider/grpc";
import type { Provider } from "../../../provider/terraform/server/provider";
import { schemaAnswer } from "../../../provider/terraform/server/schema-answers";
import * as m from "../../../provider/terraform/wire/messages";

const nothing: Unary = async () => Buffer.alloc(0);

const calls: Readonly<Record<string, Unary>> = {
  GetProviderSchema: async () => schemaAnswer(),
  ValidateProviderConfig: nothing,
  ConfigureProvider: nothing,
  ValidateResourceConfig: nothing,
  UpgradeResourceState: async (bytes) => {
    const { raw_state } = decodeMessage(m.upgradeRequest, bytes);
    return encodeMessage(m.upgradeResponse, {
      diagnostics: [],
      ...(raw_state && { upgraded_state: { json: raw_state.json } }),
    });
  },
  ReadResource: async (bytes) => {
    const { current_state, private: own } = decodeMessage(m.readRequest, bytes);
    return encodeMessage(m.readResponse, {
      diagnostics: [],
      ...(current_state && { new_state: current_state }),
      private: own,
    });
  },
  PlanResourceChange: async (bytes) => {
    const { prior_state, prior_private } = decodeMessage(m.planRequest, bytes);
    return encodeMessage(m.planResponse, {
      diagnostics: [],
      ...(prior_state && { planned_state: prior_state }),
      planned_private: prior_private,
    });
  },
};

export const createProvider = (): Provider => ({
  methods: new Map(
    Object.entries(calls).map(([name, call]) => [`/tfplugin6.Provider/${name}`, call]),
  ),
  close: () => Promise.resolve(),
});
