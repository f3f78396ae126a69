import { expect, test } from "@jest/globals";
import { CANARY, clientOn, failure, fault, inTurn, ok, pagination, raw } from "./support/core";
import type { ClientOnService, Respond } from "./support/core";

/** The lines of a run that reads servers, or of what else is done with the client. */
async function linesOf(
  respond: Respond,
  act = ({ core }: ClientOnService): Promise<unknown> => core.snapshot("server"),
): Promise<string[]> {
  const lines: string[] = [];
  const service = clientOn(respond, { more: { logCall: (line) => void lines.push(line) } });
  await service.clock.run(act(service).catch(() => undefined));
  return lines;
}

const empty = ok([], { pagination: pagination(1, 100, 0) });

test("the line names method, path with query, status, time, attempt and request", async () => {
  const answer = failure(502, "bad_gateway");
  const lines = await linesOf(inTurn(answer, answer, empty));
  const call = "GET /servers?page=1&per_page=100&sort=created_at&order=asc";
  expect(lines).toEqual([
    `${call} -> 502 in 0 ms, attempt 1/9, req_1`,
    `${call} -> 502 in 0 ms, attempt 2/9, req_1`,
    `${call} -> 200 in 0 ms, attempt 3/9, req_1`,
  ]);
});

test("the line of an attempt without response names the system's code", async () => {
  const [line] = await linesOf(fault("ECONNRESET: read ECONNRESET"));
  expect(line).toContain(" -> network_error (ECONNRESET) in 0 ms, attempt 1/9");
});

test("waits for quota do not make a line count more attempts than there are", async () => {
  const refusals = Array.from({ length: 11 }, () => failure(429, "rate_limit_exceeded"));
  const lines = await linesOf(inTurn(...refusals, empty));
  expect(lines.at(-1)).toContain("in 0 ms, attempt 12, req_1");
});

test("no key and no control character of the service is in a line", async () => {
  const id = `req_\u001b[31m\n${CANARY} acme_live_0therKey0ther`;
  const [line] = await linesOf(
    () => raw(200, { success: true, data: [] }, { "x-request-id": id }),
    ({ core }) => core.list("server", { status: `${CANARY}\n` }),
  );
  expect(line).toContain("&status=[redacted]%0A&");
  expect(line).toMatch(/, attempt 1\/9, req_ \[31m \[redacted\] \[redacted\]$/);
});

test("a line is short however long the path and the request id are", async () => {
  const [line = ""] = await linesOf(
    () => raw(200, [], { "x-request-id": "r".repeat(9_000) }),
    ({ core }) => core.list("server", { status: "s".repeat(9_000) }),
  );
  expect(line.length).toBeLessThanOrEqual(401);
  expect(line).toContain("… -> 200 in 0 ms, attempt 1/9, rrr");
});
