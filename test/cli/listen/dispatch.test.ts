/** `erphost listen --dispatch`, with a stand-in for GitHub that answers what a test says. */
import { writeFileSync } from "node:fs";
import { createServer } from "node:http";
import { join } from "node:path";
import { describe, expect, test } from "@jest/globals";
import { snippet } from "../../e2e/support/guide";
import { addressOf, folder } from "../../support/folder";
import { erphost } from "../support";
import { listening, quickly, SECRET, signed, statusOf, until } from "./support";

/** What the guide has people listen with: the options, and the command. */
const guided = (holding: string): string[] =>
  (/^erphost listen (.*)$/m.exec(snippet("events", "sh", holding))?.[1] ?? "")
    .replaceAll('"', "")
    .split(" ");

const TOKEN = "t0ken";
const CHECK = "GET /repos/acme/infra";
const POST = "POST /repos/acme/infra/dispatches";
/** A status, a status with headers, or no answer at all. */
type Answer = number | readonly [status: number, headers: Record<string, string>] | "none";

/** Answers these to the calls that begin so, the last one again and again; otherwise 204. */
async function forge(answers: Readonly<Record<string, readonly Answer[]>> = {}, repository = {}) {
  const calls: string[] = [];
  const bodies: string[] = [];
  const posted: { authorization: string | undefined; body: string }[] = [];
  const left = new Map(Object.entries(answers).map(([call, all]) => [call, [...all]]));
  const server = createServer((request, response) => {
    const call = `${request.method} ${request.url}`;
    let body = "";
    request.on("data", (chunk: Buffer) => (body += chunk.toString()));
    request.on("end", () => {
      calls.push(call);
      bodies.push(body);
      if (call === POST) posted.push({ authorization: request.headers.authorization, body });
      const all = left.get(call) ?? [];
      const answer = (all.length > 1 ? all.shift() : all[0]) ?? (call === CHECK ? 200 : 204);
      if (answer === "none") return void request.socket.destroy();
      const [status, headers] = typeof answer === "number" ? [answer, {}] : answer;
      response.writeHead(status, headers).end(call === CHECK ? JSON.stringify(repository) : "");
    });
  });
  const api = await addressOf(server);
  return { api, words: [...guided("--dispatch"), "--api", api], calls, bodies, posted };
}

const QUICK = { env: { GITHUB_TOKEN: TOKEN }, after: quickly };

/** An event whose dispatch is answered like this. */
async function dispatched(...answers: readonly Answer[]) {
  const { words, posted } = await forge({ [POST]: answers });
  // Its waits last a thousandth, and so does its time limit: the longest one outlasts five attempts.
  const { url, lines } = await listening([...words, "--timeout", "86400"], QUICK);
  await statusOf(url, signed("msg_1"));
  return { lines, posted };
}

describe("a dispatch", () => {
  test("is posted to the forge after one call about its token, which nothing shows", async () => {
    const { words, calls, posted } = await forge();
    const { url, lines } = await listening(words, { env: { GITHUB_TOKEN: TOKEN } });
    await statusOf(url, signed("msg_1"));
    await until(() => lines.includes("run: dispatched to acme/infra"));
    expect(calls).toEqual([CHECK, POST]);
    const client_payload = { events: [{ id: "msg_1", event: "server.deleted" }], count: 1 };
    const body = JSON.stringify({ event_type: "erphost", client_payload });
    expect(posted).toEqual([{ authorization: `Bearer ${TOKEN}`, body }]);
    expect(lines.join("\n")).not.toContain(TOKEN);
  });

  test("is posted again where the forge fails, is too busy or does not answer", async () => {
    const busy = [429, { "retry-after": "7" }] as const;
    const { lines, posted } = await dispatched(503, "none", busy, 500, 204);
    await until(() => lines.includes("run: dispatched to acme/infra"));
    expect(new Set(posted.map(({ body }) => body)).size).toBe(1);
    expect(posted).toHaveLength(5);
  });

  test("is given up after five attempts, and the log says that its events started nothing", async () => {
    const { lines, posted } = await dispatched(503);
    await until(() => lines.some((line) => line.startsWith("run: nothing was started")));
    expect(lines.at(-1)).toBe(`run: nothing was started for 1 event: GitHub: ${POST} → 503.`);
    expect(posted).toHaveLength(5);
  });

  test.each([
    [302, "it has another address by now"],
    [401, "the token is not valid (any more)"],
    [403, "the token may not do that"],
    [404, "there is no such thing, or the token may not see it"],
  ])("that is answered with %i is not posted again, and says why", async (status, why) => {
    // As the gateway of a company names its page to sign in.
    const { lines, posted } = await dispatched([status, { location: "data:,Sign in" }]);
    await until(() => lines.some((line) => line.includes(`→ ${status}: ${why}.`)));
    expect(posted).toHaveLength(1);
  });

  test("that waits for its next attempt ends with the grace of a listener that is stopped", async () => {
    const { words, posted } = await forge({ [POST]: [503] });
    const env = { GITHUB_TOKEN: TOKEN };
    const { url, end } = await listening(["--grace", "0", ...words], { env });
    await statusOf(url, signed("msg_1"));
    await until(() => posted.length === 1);
    const { code, out } = await end();
    expect(code).toBe(0);
    const last = expect.stringContaining("run: nothing was started for 1 event: ");
    expect(out.slice(-2)).toEqual([last, "Stopped."]);
    expect(posted).toHaveLength(1);
  });
});

test("the guide's script starts a pipeline about drift on GitLab, and no list of processes shows its token", async () => {
  const { api, calls, bodies } = await forge();
  const script = join(folder(), "drift.sh");
  const text = snippet("events", "sh", "# drift.sh").replace(/https:\/\/gitlab[^/]*/, api);
  writeFileSync(script, text, { mode: 0o755 });
  const words = guided("-- ./drift.sh").map((word) => word.replace("./drift.sh", script));
  const { url, lines } = await listening(words, { env: { TRIGGER_TOKEN: "glptt-1" } });
  await statusOf(url, signed("msg_1"));
  await until(() => lines.includes("run: ended with 0"));
  expect(calls).toEqual(["POST /api/v4/projects/1234/trigger/pipeline"]);
  const fields = [...(bodies[0] ?? "").matchAll(/name="(.+?)"\r\n\r\n(.*)\r\n/g)];
  expect(Object.fromEntries(fields.map(([, name, value]) => [name, value]))).toEqual({
    ...{ token: "glptt-1", ref: "main", "variables[ERPHOST_RUN]": "drift" },
  });
  expect(text.replace(/^printf.*/m, "")).not.toContain("TRIGGER_TOKEN");
});

test("the guide's first command starts its script for each event that it names, and for no other", async () => {
  const script = join(folder(), "plan.sh");
  writeFileSync(script, "#!/bin/sh\n", { mode: 0o755 });
  const words = guided("./plan.sh").map((word) => word.replace("./plan.sh", script));
  const { url, runs } = await listening(words);
  for (const [index, event] of ["team.created", "server.created", "instance.stopped"].entries()) {
    await statusOf(url, signed(`msg_${index}`, { event }));
    await until(() => runs().length >= index);
  }
  expect(runs()).toHaveLength(2);
});

describe("before anything listens", () => {
  const NEED = `GITHUB_TOKEN must be a token that may write to acme/infra: a fine-grained one, or an app's, needs "Contents: read and write".`;
  const env = { ...QUICK.env, ERPHOST_WEBHOOK_SECRET: SECRET };
  const started = (words: readonly string[], more = {}) =>
    erphost(["listen", "--port", "0", ...words], { ...QUICK, env: { ...env, ...more } });

  test.each([
    [401, `→ 401: the token is not valid (any more). ${NEED}`],
    [403, `→ 403: the token may not do that. ${NEED}`],
    [404, `→ 404: there is no such thing, or the token may not see it. ${NEED}`],
    [301, "→ 301: it has another address by now. Check --dispatch and --api"],
  ])("a repository that answers with %i is said, with what to do", async (status, why) => {
    const { words, calls } = await forge({ [CHECK]: [status] });
    const { code, out, err } = await started(words);
    expect({ code, out, calls }).toEqual({ code: 1, out: [], calls: [CHECK] });
    expect(err).toEqual([expect.stringContaining(why)]);
  });

  test("a token of a user who may only read is refused, and an app's is not, which has no user", async () => {
    const { words, calls } = await forge({}, { permissions: { push: false } });
    const { code, out, err } = await started(words);
    expect({ code, out, calls }).toEqual({ code: 1, out: [], calls: [CHECK] });
    expect(err).toEqual([`error: The token in GITHUB_TOKEN may not write to acme/infra. ${NEED}`]);
    const { lines } = await listening(words, { env: { GITHUB_TOKEN: "ghs_1" } });
    expect(lines).toContainEqual(expect.stringContaining("Listening on "));
  });

  test("a forge that does not answer for a moment is asked again, and one that never does is said", async () => {
    const { words, calls } = await forge({ [CHECK]: ["none"] });
    const said = `error: GitHub: ${CHECK} was not answered (UND_ERR_SOCKET). Check --dispatch and --api, or start it again later.`;
    expect(await started(words)).toEqual({ code: 1, out: [], err: [said] });
    expect(calls).toEqual(Array(5).fill(CHECK));
    const restarting = await forge({ [CHECK]: [502, 200] });
    const { lines } = await listening(restarting.words, QUICK);
    expect(lines).toContainEqual(expect.stringContaining("Listening on "));
  });

  test("a forge is asked through the proxy of the environment, unless NO_PROXY names it", async () => {
    const { api: HTTP_PROXY, calls } = await forge();
    const words = [...guided("--dispatch"), "--api", "http://127.0.0.1:2"];
    await listening(words, { env: { ...env, HTTP_PROXY } });
    expect(calls).toEqual([CHECK.replace("/", "http://127.0.0.1:2/")]);
    const { err } = await started(words, { HTTP_PROXY, NO_PROXY: "127.0.0.1" });
    expect(err).toEqual([expect.stringContaining("was not answered (ECONNREFUSED). Check")]);
    expect(calls).toHaveLength(1);
  });

  // One that refuses: nobody handles a CONNECT there.
  test.each([
    ["socks5://127.0.0.1", () => "proxy must be an http:// or https:// URL (HTTPS_PROXY)."],
    ["http://me:50%@127.0.0.1", () => "A % in its user name or password is written %25."],
    ["", (at: string) => `was not answered through the proxy ${at} (UND_ERR_ABORTED). Check`],
  ])(
    "a proxy that cannot be used, or refuses, is named without its password: %s",
    async (odd, why) => {
      const refusing = createServer().on("connect", (_, socket) => {
        socket.end("HTTP/1.1 407 Proxy Authentication Required\r\n\r\n");
      });
      const at = await addressOf(refusing);
      const HTTPS_PROXY = odd || at.replace("//", "//me:s3cr3t@");
      const words = [...guided("--dispatch"), "--api", "https://127.0.0.1:2"];
      const { err } = await started(words, { HTTPS_PROXY });
      expect(err).toEqual([expect.stringContaining(why(at))]);
      expect(err.join("")).not.toMatch(/s3cr3t|50%/);
    },
  );
});
