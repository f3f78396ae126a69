/** Every call of the protocol except those for schemas: its messages, and its handler. */
import * as m from "../wire/messages.gen";
import { streamed, unary, type Message, type Methods, type Streams } from "../../grpc";
import { SCHEMA_CALLS, SERVICE } from "../names";
import { invokeAction, planAction, validateAction } from "./actions";
import { configureProvider, validateProvider } from "./configure";
import { openEphemeral, readDataSource, validateDataSource } from "./data";
import { callFunction } from "./functions";
import { listResource, validateList } from "./list";
import { applyResourceChange } from "./resource/apply";
import { planResourceChange, validateResource } from "./resource/plan";
import { generateResourceConfig, importResourceState, readResource } from "./resource/read";
import {
  moveResourceState,
  upgradeResourceIdentity,
  upgradeResourceState,
} from "./resource/stored";
import type { Session } from "./session";

const call =
  <Q, A>(
    request: Message<Q>,
    answer: Message<A>,
    run: (session: Session, request: Q) => A | Promise<A>,
  ) =>
  (session: Session) =>
    unary(request, answer, (given) => run(session, given));

const nothing = () => ({ diagnostics: [] });

const calls = {
  ValidateResourceConfig: call(m.typedConfigRequest, m.diagnosed, validateResource),
  UpgradeResourceState: call(m.upgradeRequest, m.upgradeResponse, upgradeResourceState),
  UpgradeResourceIdentity: call(
    m.upgradeIdentityRequest,
    m.upgradeIdentityResponse,
    upgradeResourceIdentity,
  ),
  ReadResource: call(m.readRequest, m.readResponse, readResource),
  PlanResourceChange: call(m.planRequest, m.planResponse, planResourceChange),
  ApplyResourceChange: call(m.applyRequest, m.applyResponse, applyResourceChange),
  ImportResourceState: call(m.importRequest, m.importResponse, importResourceState),
  GenerateResourceConfig: call(m.generateRequest, m.generateResponse, generateResourceConfig),
  MoveResourceState: call(m.moveRequest, m.moveResponse, moveResourceState),
  ValidateProviderConfig: call(
    m.validateProviderConfigRequest,
    m.providerDiagnosed,
    validateProvider,
  ),
  ConfigureProvider: call(m.configureProviderRequest, m.diagnosed, configureProvider),
  ValidateDataResourceConfig: call(m.typedConfigRequest, m.diagnosed, validateDataSource),
  ReadDataSource: call(m.typedConfigRequest, m.dataResponse, readDataSource),
  ValidateListResourceConfig: call(m.typedConfigRequest, m.diagnosed, validateList),
  ValidateEphemeralResourceConfig: call(m.typedConfigRequest, m.diagnosed, nothing),
  OpenEphemeralResource: call(m.typedConfigRequest, m.openResponse, openEphemeral),
  RenewEphemeralResource: call(m.empty, m.diagnosed, nothing),
  CloseEphemeralResource: call(m.empty, m.diagnosed, nothing),
  ValidateActionConfig: call(m.actionRequest, m.diagnosed, validateAction),
  PlanAction: call(m.actionRequest, m.diagnosed, planAction),
  CallFunction: call(m.callRequest, m.callResponse, callFunction),
  StopProvider: call(m.empty, m.stopResponse, (session) => {
    session.stop();
    return {};
  }),
};

export const methodsOf = (session: Session): Methods =>
  Object.fromEntries(Object.entries(calls).map(([name, bind]) => [name, bind(session)]));

export const streamsOf = (session: Session): Streams => ({
  InvokeAction: streamed(m.actionRequest, m.invokeEvent, (request, signal) =>
    invokeAction(session, request, signal),
  ),
  ListResource: streamed(m.listRequest, m.listEvent, (request, signal) =>
    listResource(session, request, signal),
  ),
});

export const TERRAFORM_CALLS: readonly string[] = [
  ...SCHEMA_CALLS,
  ...Object.keys(calls),
  ...["InvokeAction", "ListResource"],
].map((name) => SERVICE + name);
