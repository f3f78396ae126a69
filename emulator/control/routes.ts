/** `/_emulator` over HTTP. Each call reads its input, calls `Control` and answers plain JSON. */
import type { HttpBindings } from "@hono/node-server";
import { Hono, type Context } from "hono";
import { bodyLimit } from "hono/body-limit";
import * as z from "zod";
import { InvalidInput } from "../../provider/contract";
import type { FaultInput } from "../faults/effects";
import { challengeFor } from "../http/answer";
import { ServiceError, serviceErrorOf } from "../http/errors";
import type { Service } from "../service/service";
import type { WireRecord } from "../store/records";
import type { NewEndpoint } from "../webhooks/delivery";
import type { Control } from "./interface";
import { checkControl } from "./guard";
import { controlCalls, type NewKeyInput } from "./schema";

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

/** The routes of `/_emulator`; `listeningOn` is the address that decides who may use them. */
export function controlRoutes(control: Control, service: Service, listeningOn: string): App {
  const app: App = new Hono();
  app.use("*", async (context, next) => {
    checkControl(service, listeningOn, (name) => context.req.header(name));
    await next();
  });
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
  app.get("/health", (context) => context.json(control.health()));
  app.get("/requests", (context) => {
    const after = Number(context.req.query("after") ?? 0);
    const entries = control.journal().filter(({ seq }) => seq > after);
    return context.json({ requests: latest(entries, context.req.query("limit")) });
  });
  app.get("/requests/counts", (context) =>
    context.json({ counts: control.calls(Number(context.req.query("after") ?? 0)) }),
  );
  app.delete("/requests", (context) => {
    control.clearJournal();
    return context.json({});
  });
  app.post("/reset", (context) => {
    control.reset();
    return context.json({});
  });
  app.get("/clock", (context) => context.json(control.clock()));
  for (const method of ["put", "post", "patch"] as const) {
    app[method]("/clock", async (context) => context.json(control.setClock(await bodyAs(context))));
  }
  app.get("/faults", (context) => context.json({ faults: control.faults() }));
  app.put("/faults", async (context) =>
    context.json({ faults: control.setFaults(await bodyAs<FaultInput[]>(context)) }),
  );
  app.delete("/faults", (context) => context.json({ faults: control.setFaults([]) }));
  app.get("/limits", (context) => context.json({ limits: control.limits() }));
  app.get("/keys", (context) => context.json({ keys: control.keys() }));
  app.post("/keys", async (context) =>
    context.json(control.createKey(await bodyAs<NewKeyInput>(context)), 201),
  );
  app.get("/mails", (context) => context.json({ mails: control.mails() }));
  app.get("/snapshot", (context) => context.json(control.snapshot()));
  app.put("/snapshot", async (context) => {
    control.restore(await bodyAs<unknown>(context));
    return context.json({});
  });
  webhookRoutes(app, control);
  objectRoutes(app, control);
  return app;
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
  app.get("/objects/:kind", (context) =>
    context.json({
      objects: latest(control.objects(context.req.param("kind")), context.req.query("limit")),
    }),
  );
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
