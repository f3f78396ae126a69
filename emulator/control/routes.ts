/** `/_emulator` over HTTP. Each call reads its input, calls `Control` and answers plain JSON. */
import type { HttpBindings } from "@hono/node-server";
import { RESPONSE_ALREADY_SENT } from "@hono/node-server/utils/response";
import { Hono, type Context } from "hono";
import { bodyLimit } from "hono/body-limit";
import * as z from "zod";
import { InvalidInput } from "../../provider/contract";
import type { FaultInput } from "../faults/effects";
import { challengeFor } from "../http/answer";
import { notFound, ServiceError, serviceErrorOf } from "../http/errors";
import type { JournalEntry } from "../journal";
import type { Service } from "../service/service";
import type { WireRecord } from "../store/records";
import type { NewEndpoint } from "../webhooks/outbox";
import type { Control } from "./control";
import type { Feed } from "./feed";
import { formsOf } from "./forms";
import { checkAdmin, checkSource, needsKey, Sessions } from "./guard";
import { afterSchema, controlCalls, read, sessionSchema, type NewKeyInput } from "./schema";

type App = Hono<{ Bindings: HttpBindings }>;

/** Large enough for a snapshot of 100,000 objects. */
const BODY_BYTES_MAX = 64 * 1_048_576;

const refuseBody = (): never => {
  throw new ServiceError("payload_too_large", `the body is larger than ${BODY_BYTES_MAX} bytes`);
};

/** The body as JSON. `Control` checks it; `T` is what it expects. */
async function bodyAs<T>(context: Context): Promise<T> {
  try {
    return await context.req.json<T>();
  } catch {
    throw new ServiceError("validation_error", "the body is not valid JSON");
  }
}

/** The same; an empty body is an empty object. */
const optionalBody = async <T>(context: Context): Promise<T> =>
  (await context.req.text()) === "" ? ({} as T) : bodyAs<T>(context);

const latest = <T>(list: readonly T[], limit: string | undefined): readonly T[] =>
  limit === undefined
    ? list
    : list.slice(-Math.max(Number.parseInt(limit, 10) || 0, 0) || list.length);

export interface ControlRoutes {
  readonly control: Control;
  readonly service: Service;
  readonly feed: Feed;
  /** The address that decides who may use them. */
  readonly listeningOn: string;
}

export function controlRoutes({ control, service, feed, listeningOn }: ControlRoutes): App {
  const app: App = new Hono();
  guard(app, service, listeningOn);
  app.use("*", bodyLimit({ maxSize: BODY_BYTES_MAX, onError: refuseBody }));
  app.onError((error, context) => {
    if (error instanceof InvalidInput) {
      return context.json({ error: { code: error.code, message: error.message } }, 422);
    }
    const { code, message, extra, status, headers } = serviceErrorOf(error);
    // Answers with the status of every code may have a body.
    return context.json({ error: { code, message, ...extra } }, status as 400, {
      ...challengeFor(status, code),
      ...headers,
    });
  });

  app.get("/events", ({ env, req, body }) => {
    if (req.method === "HEAD") return body(null);
    feed.open(env.outgoing);
    return RESPONSE_ALREADY_SENT;
  });
  const needs = () => ({ needs_admin_key: needsKey(service, listeningOn) });
  const routes: Routes = {
    "GET /": index,
    "GET /forms": () => formsOf(service.contract),
    "GET /health": () => ({ ...control.health(), ...needs() }),
    ...stateRoutes(control),
    ...requestRoutes(control),
    ...webhookRoutes(control),
    ...objectRoutes(control),
  };
  for (const [call, answer] of Object.entries(routes)) {
    const [method = "", path = ""] = call.split(" ");
    app.on(method.split("|"), path, async (context) => context.json((await answer(context)) ?? {}));
  }
  return app;
}

/** What each call answers; nothing is an empty object. */
type Routes = Readonly<Record<string, (context: Context) => unknown>>;

function created<T>(context: Context, value: T): T {
  context.status(201);
  return value;
}

const stateRoutes = (control: Control): Routes => ({
  "POST /reset": () => control.reset(),
  "GET /clock": () => control.clock(),
  "PUT|POST|PATCH /clock": async (context) => control.setClock(await bodyAs(context)),
  "GET /faults": () => ({ faults: control.faults() }),
  "PUT /faults": async (context) => {
    const keepsCounts = context.req.query("counts") === "kept";
    return { faults: control.setFaults(await bodyAs<FaultInput[]>(context), keepsCounts) };
  },
  "DELETE /faults": () => ({ faults: control.setFaults([]) }),
  "GET /limits": () => ({ limits: control.limits() }),
  "GET /keys": () => ({ keys: control.keys() }),
  "POST /keys": async (context) =>
    created(context, control.createKey(await bodyAs<NewKeyInput>(context))),
  "POST /keys/:id/rotate": (context) => created(context, control.rotateKey(idIn(context))),
  "GET /mails": () => ({ mails: control.mails() }),
  "GET /snapshot": () => control.snapshot(),
  "PUT /snapshot": async (context) => control.restore(await bodyAs<unknown>(context)),
});

const idIn = ({ req }: Context): string => req.param("id") ?? "";

const afterIn = (req: Context["req"]) => read("requests", afterSchema, req.query()).after;

const requestRoutes = (control: Control): Routes => ({
  "GET /requests": ({ req }) => {
    const { text = "", limit, bodies } = req.query();
    const after = afterIn(req);
    const list = control.journal().filter(({ seq }) => seq > after);
    const requests = latest(
      list.filter((each) => mentions(each, text)),
      limit,
    );
    return { requests: bodies === "false" ? requests.map(withoutBodies) : requests };
  },
  "GET /requests/counts": ({ req }) => ({ counts: control.calls(afterIn(req)) }),
  "GET /requests/:seq{[0-9]+}": ({ req }) => {
    const seq = Number(req.param("seq"));
    const entry = control.journal().find((each) => each.seq === seq);
    if (!entry) throw notFound(`request ${seq}`);
    return entry;
  },
  "DELETE /requests": () => control.clearJournal(),
});

/** A list of requests is read again and again, and their bodies are most of it. */
const withoutBodies = (entry: JournalEntry): Record<string, unknown> =>
  Object.fromEntries(Object.entries(entry).filter(([name]) => !name.endsWith("_body")));

const mentions = (entry: JournalEntry, text: string): boolean =>
  text === "" ||
  Object.values(withoutBodies(entry)).join(" ").toLowerCase().includes(text.toLowerCase());

/** Sessions, and who gets past: the first calls that an app has come before all others. */
function guard(app: App, service: Service, listeningOn: string): void {
  const sessions = new Sessions(service.randomBytes);
  const socketOf = ({ env }: { readonly env: HttpBindings }) => env.incoming.socket;
  const portOf = (context: { readonly env: HttpBindings }) => socketOf(context).localPort ?? 0;
  const check = (context: { readonly env: HttpBindings }, header: string | undefined): void =>
    checkAdmin(service, header, socketOf(context).remoteAddress ?? "");
  app.use("*", async (context: Context<{ Bindings: HttpBindings }>, next) => {
    checkSource(listeningOn, (name) => context.req.header(name));
    const isSigningIn = context.req.path === "/_emulator/session";
    if (!isSigningIn && needsKey(service, listeningOn)) {
      const key = sessions.keyOf(context, portOf(context));
      const header = context.req.header("authorization");
      check(context, header ?? (key === undefined ? undefined : `Bearer ${key}`));
    }
    await next();
  });
  app.post("/session", async (context) => {
    const { key } = read("session", sessionSchema, await bodyAs(context));
    check(context, `Bearer ${key}`);
    sessions.open(context, key, portOf(context));
    return context.json({});
  });
  app.delete("/session", (context) => {
    sessions.close(context, portOf(context));
    return context.json({});
  });
}

const webhookRoutes = (control: Control): Routes => ({
  "GET /webhooks": () => ({ webhooks: control.webhooks() }),
  "GET /webhooks/deliveries": ({ req }) => ({
    deliveries: latest(control.deliveries(), req.query("limit")),
  }),
  "POST /webhooks": async (context) =>
    created(context, control.registerWebhook(await bodyAs<NewEndpoint>(context))),
  "POST /webhooks/deliveries/:seq/redeliver": ({ req }) =>
    control.redeliver(Number(req.param("seq"))),
  "POST /webhooks/:id/test": async (context) =>
    control.testWebhook(idIn(context), await optionalBody(context)),
  "POST /webhooks/:id/enable": (context) => control.enableWebhook(idIn(context)),
  "POST /webhooks/:id/rotate-secret": (context) => control.rotateWebhookSecret(idIn(context)),
  "DELETE /webhooks/:id": (context) => control.removeWebhook(idIn(context)),
});

const objectRoutes = (control: Control): Routes => ({
  "GET /objects": () => ({ objects: control.counts() }),
  "GET /objects/:kind": (context) => {
    const query = context.req.query();
    return query["per_page"] === undefined
      ? { objects: latest(control.objects(kindIn(context)), query["limit"]) }
      : control.page(kindIn(context), query);
  },
  "GET /objects/:kind/:id": (context) => control.object(kindIn(context), idIn(context)),
  "POST /objects/:kind": async (context) => {
    const body = await bodyAs<WireRecord | WireRecord[]>(context);
    const objects = control.createObjects(kindIn(context), body);
    return created(context, Array.isArray(body) ? { objects } : objects[0]);
  },
  "PATCH /objects/:kind/:id": async (context) =>
    control.changeObject(kindIn(context), idIn(context), await bodyAs<WireRecord>(context)),
  "DELETE /objects/:kind/:id": (context) => control.removeObject(kindIn(context), idIn(context)),
});

const kindIn = ({ req }: Context): string => req.param("kind") ?? "";

/** Every call with the JSON Schema of its body. */
const index = () => ({
  calls: Object.entries(controlCalls).map(([call, { doc, ...rest }]) => ({
    call,
    doc,
    ...("body" in rest && {
      body: z.toJSONSchema(rest.body, { io: "input", unrepresentable: "any" }),
    }),
  })),
});
