/** Every method that Pulumi's engine calls: its messages, and what answers it. */
import { CallFailure, status, unary } from "../../../grpc";
import type { Message, Methods, TypedUnary } from "../../../grpc";
import type { Voice } from "../../../messages";
import { failureText } from "../../voice";
import { construct } from "../component/construct";
import * as m from "../messages.gen";
import type { Session } from "../session";
import { check } from "./check";
import { checkConfig, configure, diffConfig } from "./config";
import { answerDiff } from "./diff";
import { invoke } from "./invoke";
import { create, read, remove, update } from "./lifecycle";

/** What the service answers by itself, without the session. */
export interface About {
  readonly version: string;
  /** As JSON; rendered on request. */
  readonly schema: () => string;
}

/** Methods by name. Any other is answered as unimplemented. */
export function methodsOf(session: Session, about: About): Methods {
  /** Failures become statuses, and what was logged arrives before the answer does. */
  const method = <Request, Answer>(
    request: Message<Request>,
    answer: Message<Answer>,
    run: (session: Session, request: Request) => Answer | Promise<Answer>,
  ): TypedUnary<Request, Answer> =>
    unary(request, answer, async (asked) => {
      try {
        return await run(session, asked);
      } catch (error) {
        throw callFailure(error, session.voice);
      } finally {
        await session.host.flushed();
      }
    });
  /**
   * For work in the service. A fault of the whole run fails the check of the first resource, where a
   * run ends with one message; a configuration that failed would be reported by each.
   */
  const working: typeof method = (request, answer, run) =>
    method(request, answer, async (_, asked) => {
      await session.usable();
      return run(session, asked);
    });
  const nothing = method(m.empty, m.empty, () => ({}));
  return {
    Handshake: method(m.empty, m.handshakeResponse, () => ({
      accept_secrets: true,
      supports_autonaming_configuration: true,
    })),
    GetPluginInfo: method(m.empty, m.pluginInfo, () => ({ version: about.version })),
    GetSchema: method(m.empty, m.schemaResponse, () => ({ schema: about.schema() })),
    Attach: nothing,
    CheckConfig: method(m.checkRequest, m.checkResponse, checkConfig),
    DiffConfig: method(m.diffRequest, m.diffResponse, diffConfig),
    Configure: method(m.configureRequest, m.configureResponse, configure),
    Check: working(m.checkRequest, m.checkResponse, check),
    Diff: working(m.diffRequest, m.diffResponse, answerDiff),
    Create: working(m.createRequest, m.createResponse, create),
    Read: working(m.readRequest, m.readResponse, read),
    Update: working(m.updateRequest, m.updateResponse, update),
    Delete: working(m.deleteRequest, m.empty, remove),
    Invoke: working(m.invokeRequest, m.invokeResponse, invoke),
    Construct: method(m.constructRequest, m.constructResponse, (_, request) =>
      construct(request, session.reference),
    ),
    Cancel: method(m.empty, m.empty, () => {
      // Not awaited: Pulumi expects its answer at once, and waits for running operations itself.
      void session.stop();
      return {};
    }),
  };
}

/** Any error as one that gRPC sends on: its text alone. */
const callFailure = (error: unknown, voice: Voice): CallFailure =>
  error instanceof CallFailure ? error : new CallFailure(status.unknown, failureText(voice, error));
