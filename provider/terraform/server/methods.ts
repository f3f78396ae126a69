/** Every call of the protocol except those for schemas: its messages, and its handler. */
import * as m from "../wire/messages.gen";
import { streamed, unary, type Methods, type Streams } from "../../grpc";
import { invokeAction, planAction, validateAction } from "./actions";
import { configureProvider, validateProvider } from "./configure";
import { openEphemeral, readDataSource, validateDataSource } from "./data";
import { callFunction } from "./functions";
import { listResource, validateList } from "./list";
import { applyResourceChange } from "./resource/apply";
import { generateResourceConfig } from "./resource/generate";
import { planResourceChange } from "./resource/plan";
import { importResourceState, readResource } from "./resource/read";
import {
  moveResourceState,
  upgradeResourceIdentity,
  upgradeResourceState,
} from "./resource/stored";
import { validateResource } from "./resource/validate";
import type { Session } from "./session";

const nothing = async () => ({ diagnostics: [] });

/** Methods by name. */
export const methodsOf = (session: Session): Methods => ({
  ...resourceMethods(session),
  ...otherMethods(session),
});

/** Methods that answer a stream, by name. */
export const streamsOf = (session: Session): Streams => ({
  InvokeAction: streamed(m.actionRequest, m.invokeEvent, (request, signal) =>
    invokeAction(session, request, signal),
  ),
  ListResource: streamed(m.listRequest, m.listEvent, (request, signal) =>
    listResource(session, request, signal),
  ),
});

function resourceMethods(session: Session): Methods {
  return {
    ValidateResourceConfig: unary(m.typedConfigRequest, m.diagnosed, (request) =>
      validateResource(session, request),
    ),
    UpgradeResourceState: unary(m.upgradeRequest, m.upgradeResponse, (request) =>
      upgradeResourceState(session, request),
    ),
    UpgradeResourceIdentity: unary(m.upgradeIdentityRequest, m.upgradeIdentityResponse, (request) =>
      upgradeResourceIdentity(session, request),
    ),
    ReadResource: unary(m.readRequest, m.readResponse, (request) => readResource(session, request)),
    PlanResourceChange: unary(m.planRequest, m.planResponse, (request) =>
      planResourceChange(session, request),
    ),
    ApplyResourceChange: unary(m.applyRequest, m.applyResponse, (request) =>
      applyResourceChange(session, request),
    ),
    ImportResourceState: unary(m.importRequest, m.importResponse, (request) =>
      importResourceState(session, request),
    ),
    GenerateResourceConfig: unary(m.generateRequest, m.generateResponse, (request) =>
      generateResourceConfig(session, request),
    ),
    MoveResourceState: unary(m.moveRequest, m.moveResponse, (request) =>
      moveResourceState(session, request),
    ),
  };
}

function otherMethods(session: Session): Methods {
  return {
    ValidateProviderConfig: unary(
      m.validateProviderConfigRequest,
      m.providerDiagnosed,
      (request) => {
        session.replans = false;
        return validateProvider(request);
      },
    ),
    ConfigureProvider: unary(m.configureProviderRequest, m.diagnosed, (request) =>
      configureProvider(session, request),
    ),
    ValidateDataResourceConfig: unary(m.typedConfigRequest, m.diagnosed, (request) =>
      validateDataSource(session, request),
    ),
    ReadDataSource: unary(m.typedConfigRequest, m.dataResponse, (request) =>
      readDataSource(session, request),
    ),
    ValidateListResourceConfig: unary(m.typedConfigRequest, m.diagnosed, (request) =>
      validateList(session, request),
    ),
    ValidateEphemeralResourceConfig: unary(m.typedConfigRequest, m.diagnosed, nothing),
    OpenEphemeralResource: unary(m.typedConfigRequest, m.openResponse, (request) =>
      openEphemeral(session, request),
    ),
    RenewEphemeralResource: unary(m.empty, m.diagnosed, nothing),
    CloseEphemeralResource: unary(m.empty, m.diagnosed, nothing),
    ValidateActionConfig: unary(m.actionRequest, m.diagnosed, (request) =>
      validateAction(session, request),
    ),
    PlanAction: unary(m.actionRequest, m.diagnosed, (request) => planAction(session, request)),
    CallFunction: unary(m.callRequest, m.callResponse, callFunction),
    StopProvider: unary(m.empty, m.stopResponse, async () => {
      session.stop();
      return {};
    }),
  };
}
