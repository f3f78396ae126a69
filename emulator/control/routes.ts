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
import type { NewEndpoint } from "../webhooks/delivery";
import type { Control } from "./interface";
import type { Feed } from "./feed";
import { formsOf } from "./forms";
import { checkAdmin, checkSource, needsKey } from "./guard";
import { controlCalls, sessionSchema, type NewKeyInput } from "./schema";
import { read } from "./read";
import { Sessions } from "./sessions";

type App = Hono<{ Bindings: HttpBindings }>;

/** Large enough for a snapshot of 100,000 objects. */
const BODY_BYTES_MAX = 64 * 1_048_576;

const refuseBody = (): never => {
  const message = `the body is larger than ${BODY_BYTES_MAX} bytes`;
  throw new ServiceError("payload_too_large", message);
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

/** What the routes of `/_emulator` are made of. */
export interface ControlRoutes {
  readonly control: Control;
  readonly service: Service;
  readonly feed: Feed;
  /** The address that decides who may use them. */
  readonly listeningOn: string;
}

/** The routes of `/_emulator`. */
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

  app.get("/", (context) => context.json(index()));
  app.get("/forms", (context) => context.json(formsOf(service.contract)));
  app.get("/events", ({ env }) => {
    feed.open(env.outgoing);
    return RESPONSE_ALREADY_SENT;
  });
  app.get("/health", (context) =>
    context.json({ ...control.health(), needs_admin_key: needsKey(service, listeningOn) }),
  );
  app.post("/reset", (context) => {
    control.reset();
    return context.json({});
  });
  app.get("/clock", (context) => context.json(control.clock()));
  for (const method of ["put", "post", "patch"] as const) {
    app[method]("/clock", async (context) => context.json(control.setClock(await bodyAs(context))));
  }
  app.get("/faults", (context) => context.json({ faults: control.faults() }));
  app.put("/faults", async (context) => {
    const keepsCounts = context.req.query("counts") === "kept";
    const faults = control.setFaults(await bodyAs<FaultInput[]>(context), keepsCounts);
    return context.json({ faults });
  });
  app.delete("/faults", (context) => context.json({ faults: control.setFaults([]) }));
  app.get("/limits", (context) => context.json({ limits: control.limits() }));
  app.get("/keys", (context) => context.json({ keys: control.keys() }));
  app.post("/keys", async (context) =>
    context.json(control.createKey(await bodyAs<NewKeyInput>(context)), 201),
  );
  app.post("/keys/:id/rotate", (context) =>
    context.json(control.rotateKey(context.req.param("id")), 201),
  );
  app.get("/mails", (context) => context.json({ mails: control.mails() }));
  app.get("/snapshot", (context) => context.json(control.snapshot()));
  app.put("/snapshot", async (context) => {
    control.restore(await bodyAs<unknown>(context));
    return context.json({});
  });
  requestRoutes(app, control);
  webhookRoutes(app, control);
  objectRoutes(app, control);
  return app;
}

function requestRoutes(app: App, control: Control): void {
  app.get("/requests", (context) => {
    const after = Number(context.req.query("after") ?? 0);
    const { text = "", limit, bodies } = context.req.query();
    const list = control.journal().filter((each) => each.seq > after && mentions(each, text));
    const requests = latest(list, limit);
    return context.json({ requests: bodies === "false" ? requests.map(withoutBodies) : requests });
  });
  app.get("/requests/counts", (context) =>
    context.json({ counts: control.calls(Number(context.req.query("after") ?? 0)) }),
  );
  app.get("/requests/:seq{[0-9]+}", (context) => {
    const seq = Number(context.req.param("seq"));
    const entry = control.journal().find((each) => each.seq === seq);
    if (!entry) throw notFound(`request ${seq}`);
    return context.json(entry);
  });
  app.delete("/requests", (context) => {
    control.clearJournal();
    return context.json({});
  });
}

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
  app.use("*", async (context, next) => {
    checkSource(listeningOn, (name) => context.req.header(name));
    const isSigningIn = context.req.path === "/_emulator/session";
    if (!isSigningIn && needsKey(service, listeningOn)) {
      const key = sessions.keyOf(context.req.header("cookie"), portOf(context));
      const header = context.req.header("authorization");
      check(context, header ?? (key === undefined ? undefined : `Bearer ${key}`));
    }
    await next();
  });
  app.post("/session", async (context) => {
    const { key } = read("session", sessionSchema, await bodyAs(context));
    check(context, `Bearer ${key}`);
    context.header("Set-Cookie", sessions.open(key, portOf(context)));
    return context.json({});
  });
  app.delete("/session", (context) => {
    const cookie = sessions.close(context.req.header("cookie"), portOf(context));
    context.header("Set-Cookie", cookie);
    return context.json({});
  });
}

function webhookRoutes(app: App, control: Control): void {
  app.get("/webhooks", (context) => context.json({ webhooks: control.webhooks() }));
  app.get("/webhooks/deliveries", (context) =>
    context.json({ deliveries: latest(control.deliveries(), context.req.query("limit")) }),
  );
  app.post("/webhooks", async (context) =>
    context.json(control.registerWebhook(await bodyAs<NewEndpoint>(context)), 201),
  );
  app.post("/webhooks/deliveries/:seq/redeliver", (context) => {
    control.redeliver(Number(context.req.param("seq")));
    return context.json({});
  });
  app.post("/webhooks/:id/test", async (context) => {
    control.testWebhook(context.req.param("id"), await optionalBody(context));
    return context.json({});
  });
  app.post("/webhooks/:id/enable", (context) => {
    control.enableWebhook(context.req.param("id"));
    return context.json({});
  });
  app.post("/webhooks/:id/rotate-secret", (context) =>
    context.json(control.rotateWebhookSecret(context.req.param("id"))),
  );
  app.delete("/webhooks/:id", (context) => {
    control.removeWebhook(context.req.param("id"));
    return context.json({});
  });
}

function objectRoutes(app: App, control: Control): void {
  app.get("/objects", (context) => context.json({ objects: control.counts() }));
  app.get("/objects/:kind", (context) => {
    const { kind } = context.req.param();
    const query = context.req.query();
    return context.json(
      query["per_page"] === undefined
        ? { objects: latest(control.objects(kind), query["limit"]) }
        : control.page(kind, query),
    );
  });
  app.get("/objects/:kind/:id", (context) => {
    const { kind, id } = context.req.param();
    return context.json(control.object(kind, id));
  });
  app.post("/objects/:kind", async (context) => {
    const body = await bodyAs<WireRecord | WireRecord[]>(context);
    const objects = control.createObjects(context.req.param("kind"), body);
    return context.json(Array.isArray(body) ? { objects } : (objects[0] ?? {}), 201);
  });
  app.patch("/objects/:kind/:id", async (context) => {
    const { kind, id } = context.req.param();
    return context.json(control.changeObject(kind, id, await bodyAs<WireRecord>(context)));
  });
  app.delete("/objects/:kind/:id", (context) => {
    const { kind, id } = context.req.param();
    control.removeObject(kind, id);
    return context.json({});
  });
}

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
