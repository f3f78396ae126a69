/** Every call of the protocol except those for schemas: its messages, and its handler. */
import { InvalidInput, issueAt } from "../../contract";
import { ofArgument, providerArguments, readConfig, type ReadConfig } from "../config";
import { failure, refusals, diagnosticsOf } from "../diagnostics";
import { faultsOfGiven } from "../../engine";
import * as m from "../wire/messages.gen";
import { CallFailure, status, streamed, unary } from "../../grpc";
import type { Message, Methods, Streams } from "../../grpc";
import { UNKNOWN } from "../../resources";
import { SCHEMA_CALLS, SERVICE } from "../names";
import { providerFunctions } from "../schema/functions";
import { readObject } from "../values/dynamic";
import { fromPlain, toPlain } from "../values/values";
import { textOf } from "../voice";
import { decodeMsgpack, encodeMsgpack } from "../wire/msgpack";
import { invokeAction, planAction, validateAction } from "./actions";
import { openEphemeral, readDataSource, validateDataSource } from "./data";
import { listResource, validateList } from "./list";
import { applyResourceChange } from "./resource/apply";
import { planResourceChange, validateResource } from "./resource/plan";
import { generateResourceConfig, importResourceState, readResource } from "./resource/read";
import { moveResourceState, upgradeResourceIdentity } from "./resource/stored";
import { upgradeResourceState } from "./resource/stored";
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
  ValidateProviderConfig: call(m.validateProviderConfigRequest, m.providerDiagnosed, validateBlock),
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

type Diagnosed = { diagnostics: m.Diagnostic[] };

/** Checks what does not depend on the environment, which may be another one at apply. */
function validateBlock(session: Session, { config }: m.ValidateProviderConfigRequest): Diagnosed {
  session.replans = false;
  return { diagnostics: staticFaults(readConfig(readObject(config))) };
}

const staticFaults = ({ given, issues }: ReadConfig): m.Diagnostic[] =>
  refusals(providerArguments, [...issues, ...faultsOfGiven(given).map(ofArgument)]);

async function configureProvider(
  session: Session,
  request: m.ValidateProviderConfigRequest,
): Promise<Diagnosed> {
  const config = readConfig(readObject(request.config));
  const { given, unknown } = config;
  const faults = staticFaults(config);
  if (faults.length > 0) return { diagnostics: faults };
  try {
    if (unknown.length > 0) await session.postpone(given, unknown);
    else {
      await session.configure(given);
      // A wrong address or key is reported here, by the provider, and not by each of its objects.
      await session.needEngine().preflight(session.reading());
    }
    return { diagnostics: diagnosticsOf(providerArguments, { notes: session.takeWarnings() }) };
  } catch (error) {
    if (!(error instanceof InvalidInput)) {
      return { diagnostics: failure("Configuring the provider", providerArguments, error) };
    }
    return { diagnostics: refusals(providerArguments, error.issues.map(ofArgument)) };
  }
}

/** The engines put a full stop after what a function says. */
const unstopped = (text: string): string => text.replace(/\.$/, "");

function callFunction(_session: Session, request: m.CallRequest): m.CallResponse {
  const definition = providerFunctions.get(request.name);
  if (!definition) {
    throw new CallFailure(status.invalidArgument, `there is no function ${request.name}`);
  }
  const [given] = request.arguments;
  const argument = toPlain("string", given?.msgpack ? decodeMsgpack(given.msgpack) : null);
  if (argument === UNKNOWN || typeof argument !== "string") {
    const missing = issueAt([definition.parameter.name], "required", {});
    return { error: { text: unstopped(textOf(missing)), function_argument: 0 } };
  }
  try {
    const result = fromPlain(definition.returns, definition.run(argument));
    return { result: { msgpack: encodeMsgpack(result) } };
  } catch (error) {
    if (!(error instanceof InvalidInput)) throw error;
    return { error: { text: unstopped(error.issues.map(textOf).join(" ")), function_argument: 0 } };
  }
}
