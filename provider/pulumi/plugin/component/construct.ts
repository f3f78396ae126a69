/** The component "an ERP installation", made of this provider's own resources. */
import { camel, pascal } from "../../../contract";
import { CallFailure, decodeStruct, status } from "../../../grpc";
import { PULUMI_UNKNOWN } from "../../values";
import { typeToken } from "../values/tokens";
import { installationToken, passedOn } from "./definition";
import type { ConstructRequest, ConstructResponse } from "../messages.gen";
import { Monitor, type Child, type Given, type Properties, type Registered } from "./monitor";

/** @param provider reference of this very provider, for the component's resources */
export async function construct(
  request: ConstructRequest,
  provider: string | undefined,
): Promise<ConstructResponse> {
  if (request.type !== installationToken) {
    throw new CallFailure(status.notFound, `This provider has no component ${request.type}.`);
  }
  const monitor = new Monitor(request, provider);
  try {
    const component = await monitor.component(installationToken);
    const outputs = await installation(monitor, component, request);
    return { urn: component.urn, state: await monitor.outputs(component, outputs) };
  } finally {
    monitor.close();
  }
}

async function installation(
  monitor: Monitor,
  component: Registered,
  request: ConstructRequest,
): Promise<Properties> {
  const inputs = inputsOf(request);
  if ("serverId" in inputs && "serverProperties" in inputs) {
    const text =
      "serverProperties are for the server that the component creates, and with serverId it creates none. Leave one of them out.";
    throw new CallFailure(status.invalidArgument, text);
  }
  const given = (input: string, or?: string): Given => [
    inputs[input] ?? or,
    request.inputDependencies[input]?.urns ?? [],
  ];
  const name = given("name", request.name);
  const child = (kindName: string, own: Child["inputs"]) => {
    const passed = passedOn.filter((each) => each.kind === kindName && each.as in inputs);
    return monitor.child(component, {
      type: typeToken({ title: pascal(kindName) }),
      name: `${request.name}-${kindName}`,
      inputs: {
        ...own,
        ...Object.fromEntries(passed.map((each) => [camel(each.field), given(each.as)])),
      },
    });
  };
  const server = "serverId" in inputs ? undefined : await child("server", { name });
  const serverId: Given = server ? [server.id, [server.urn]] : given("serverId");
  const instance = await child("instance", { name, serverId });
  const instanceId: Given = [instance.id, [instance.urn]];
  const backup = "backupTriggers" in inputs ? await child("backup", { instanceId }) : undefined;
  const state = instance.outputs["status"] ?? (request.dryRun ? PULUMI_UNKNOWN : undefined);
  return {
    serverId: serverId[0],
    instanceId: instance.id,
    ...(state !== undefined && { status: state }),
    ...(backup && { backupId: backup.id }),
  };
}

/** Null is the same as left out. */
const inputsOf = (request: ConstructRequest): Properties =>
  Object.fromEntries(Object.entries(decodeStruct(request.inputs)).filter(([, it]) => it !== null));
