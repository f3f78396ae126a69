/** Runs on machines of their own, which share nothing but the service and a scope. */
import { folder, given, type EngineGiven, type Run, type Service } from "../../support/given";
import { createAndKill } from "../crashes";
import { kind } from "../support";

const scope = "github.com/acme/infra/prod";
export const server = kind("server");
export const identity = "web";
export const web = { name: "web" };

/** A run on a machine without a past. */
export const machine = (
  service: Service,
  options: NonNullable<EngineGiven["options"]> = {},
  more: EngineGiven = {},
): Run =>
  service.engine({ intents: folder(), userKey: null, options: { scope, ...options }, ...more });

export const resuming = (service: Service, more: EngineGiven = {}): Run =>
  machine(service, { resume: true }, more);

/** A run that creates a server and is cut off with its machine before any state has it. */
export async function cutOff(inputs = web, more: EngineGiven = {}, at?: Service) {
  const service = at ?? (await given());
  const { id } = await createAndKill(machine(service, {}, more), server, inputs, { identity });
  await new Promise((resolve) => setTimeout(resolve, 5));
  return { service, id };
}
