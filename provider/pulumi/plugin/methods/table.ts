/** Every method that Pulumi's engine calls: its messages, and what answers it. */
import { unary, type Message, type Methods, type TypedUnary } from "../../../grpc";
import { construct } from "../component/construct";
import { constructRequest, constructResponse } from "../component/messages";
import { callFailure } from "../failures";
import * as m from "../messages";
import type { Session } from "../session";
import { check } from "./check";
import { checkConfig, configure, diffConfig } from "./config";
import { diff } from "./diff";
import { invoke } from "./invoke";
import { create, read, remove, update } from "./lifecycle";

/** What the service answers by itself, without the session. */
export interface About {
  readonly version: string;
  /** As JSON; rendered on request. */
  readonly schema: () => string;
}

/** A method whose failures are ones that gRPC sends on. */
const method = <Request, Answer>(
  request: Message<Request>,
  answer: Message<Answer>,
  run: (request: Request) => Answer | Promise<Answer>,
): TypedUnary<Request, Answer> =>
  unary(request, answer, async (asked) => {
    try {
      return await run(asked);
    } catch (error) {
      throw callFailure(error);
    }
  });

const nothing = method(m.empty, m.empty, () => ({}));

/** Methods by name. Any other is answered as unimplemented. */
export const methodsOf = (session: Session, about: About): Methods => ({
  Handshake: method(m.empty, m.handshakeResponse, () => ({
    accept_secrets: true,
    supports_autonaming_configuration: true,
  })),
  GetPluginInfo: method(m.empty, m.pluginInfo, () => ({ version: about.version })),
  GetSchema: method(m.empty, m.schemaResponse, () => ({ schema: about.schema() })),
  GetMapping: nothing,
  GetMappings: nothing,
  Attach: nothing,
  CheckConfig: method(m.checkRequest, m.checkResponse, (request) => checkConfig(session, request)),
  DiffConfig: method(m.diffRequest, m.diffResponse, diffConfig),
  Configure: method(m.configureRequest, m.configureResponse, (request) =>
    configure(session, request),
  ),
  Check: method(m.checkRequest, m.checkResponse, (request) => check(session, request)),
  Diff: method(m.diffRequest, m.diffResponse, (request) => diff(session, request)),
  Create: method(m.createRequest, m.createResponse, (request) => create(session, request)),
  Read: method(m.readRequest, m.readResponse, (request) => read(session, request)),
  Update: method(m.updateRequest, m.updateResponse, (request) => update(session, request)),
  Delete: method(m.deleteRequest, m.empty, async (request) => {
    await remove(session, request);
    return {};
  }),
  Invoke: method(m.invokeRequest, m.invokeResponse, (request) => invoke(session, request)),
  Construct: method(constructRequest, constructResponse, (request) =>
    construct(request, session.reference),
  ),
  Cancel: method(m.empty, m.empty, () => {
    // Not awaited: Pulumi expects its answer at once, and waits for running operations itself.
    void session.stop();
    return {};
  }),
});
