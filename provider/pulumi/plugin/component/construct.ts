/** The component "an ERP installation", made of this provider's own resources. */
import { ConstructRequest, ConstructResponse } from "@pulumi/pulumi/proto/provider_pb";
import { camel } from "../../../contract";
import { CallFailure, status } from "../../../grpc";
import { kinds, type Kind } from "../../../resources";
import { PULUMI_UNKNOWN } from "../../values";
import { typeToken } from "../tokens";
import { installationToken, passedOn } from "./definition";
import { Monitor, type Properties, type Registered } from "./monitor";

/**
 * The call with its messages as they lie on the wire.
 * @param provider reference of this very provider, for the component's resources
 */
export async function constructMessage(
  bytes: Buffer,
  provider: string | undefined,
): Promise<Buffer> {
  const response = await construct(ConstructRequest.deserializeBinary(bytes), provider);
  return Buffer.from(response.serializeBinary());
}

async function construct(
  request: ConstructRequest,
  provider: string | undefined,
): Promise<ConstructResponse> {
  if (request.getType() !== installationToken) {
    throw new CallFailure(status.notFound, `This provider has no component ${request.getType()}.`);
  }
  const monitor = new Monitor(request, provider);
  try {
    const component = await monitor.component(installationToken);
    const outputs = await installation(monitor, component, request);
    const response = new ConstructResponse();
    response.setUrn(component.urn);
    response.setState(await monitor.outputs(component, outputs));
    return response;
  } finally {
    monitor.close();
  }
}

async function installation(
  monitor: Monitor,
  component: Registered,
  request: ConstructRequest,
): Promise<Properties> {
  const inputs = Object.entries(request.getInputs()?.toJavaScript() ?? {});
  // Null is left out.
  const given: Properties = Object.fromEntries(inputs.filter(([, value]) => value !== null));
  const name = given["name"] ?? request.getName();
  const from = dependenciesOf(request);
  const child = (kindName: string, inputs: Properties, dependencies: readonly string[]) => {
    const kind = kindOf(kindName);
    const passed = passedOn.filter((each) => each.kind === kindName && each.as in given);
    return monitor.child(component, {
      type: typeToken(kind),
      name: `${request.getName()}-${kindName}`,
      inputs: {
        ...inputs,
        ...Object.fromEntries(passed.map((each) => [camel(each.field), given[each.as]])),
      },
      dependencies: [...dependencies, ...passed.flatMap((each) => from(each.as))],
    });
  };
  const own = "serverId" in given ? undefined : await child("server", { name }, from("name"));
  const serverId = own?.id ?? given["serverId"];
  const onServer = own ? [own.urn] : from("serverId");
  const instance = await child("instance", { name, serverId }, [...onServer, ...from("name")]);
  const backup =
    "backupTriggers" in given
      ? await child("backup", { instanceId: instance.id }, [instance.urn])
      : undefined;
  const state = instance.outputs["status"] ?? (request.getDryrun() ? PULUMI_UNKNOWN : undefined);
  return {
    serverId,
    instanceId: instance.id,
    ...(state !== undefined && { status: state }),
    ...(backup && { backupId: backup.id }),
  };
}

function kindOf(name: string): Kind {
  const kind = kinds[name];
  if (!kind) throw new Error(`there is no kind ${name}`);
  return kind;
}

/** URNs that an input of the component came from. */
const dependenciesOf =
  (request: ConstructRequest) =>
  (input: string): readonly string[] =>
    request.getInputdependenciesMap().get(input)?.getUrnsList() ?? [];
