import { describe, expect, test } from "@jest/globals";
import { InvalidInput, resolveContract } from "../../provider/contract";
import fixture from "../fixtures/profile.json";

const server = (members: object) => ({ resources: { server: members } });

const refusal = (profile: unknown): string => {
  try {
    resolveContract(profile);
  } catch (error) {
    expect(error).toBeInstanceOf(InvalidInput);
    return (error as InvalidInput).message;
  }
  throw new Error("it was taken");
};

test("a service without a profile is as assumed", () => {
  const contract = resolveContract();
  expect(contract).toMatchObject({
    hash: "none",
    authTestPath: "/auth/test",
    rotatePath: "/api-keys/{id}/rotate",
    idempotencyWindowMs: 24 * 3_600_000,
    settleWindowMs: 10_000,
    unset: "omit",
  });
  expect(contract.resources.server).toMatchObject({
    path: "/servers",
    itemPath: "/servers/{id}",
    updateMethod: "PATCH",
  });
  expect(contract.resources.team.operations.delete).toBeUndefined();
});

test("the fixture changes a path, a wire name, a state and operations, and nothing else", () => {
  const [plain, other] = [resolveContract(), resolveContract(fixture)];
  expect(other.resources.server).toMatchObject({ path: "/machines", itemPath: "/machine/{id}" });
  expect(other.resources.server.wireNames["name"]).toBe("label");
  expect(other.resources.instance.states).toMatchObject({ ready: ["live"], failed: ["dead"] });
  expect(other.resources.team.operations.delete).toBe("profile");
  expect(other.resources.api_key.operations.delete).toBeUndefined();
  expect(other.resources.backup).toEqual(plain.resources.backup);
  expect(other.hash).not.toBe(plain.hash);
});

test("the hash differs between profiles, and not with the order of their members", () => {
  const one = resolveContract({ unset: "null", settleWindowMs: 1 });
  expect(resolveContract({ settleWindowMs: 1, unset: "null" }).hash).toBe(one.hash);
  expect(resolveContract({ settleWindowMs: 2, unset: "null" }).hash).not.toBe(one.hash);
});

test("the rotation follows the keys' path, unless it is named", () => {
  const moved = { resources: { api_key: { path: "/keys" } } };
  expect(resolveContract(moved).rotatePath).toBe("/keys/{id}/rotate");
  expect(resolveContract({ ...moved, rotatePath: "/r/{id}" }).rotatePath).toBe("/r/{id}");
});

test("a profile can switch on an item GET", () => {
  const contract = resolveContract(server({ operations: { get: true } }));
  expect(contract.resources.server.operations.get).toBe("profile");
});

/** Another name on the wire for a field of a server. */
const named = (wireName: string, field = "name") => server({ fields: { [field]: wireName } });
const UNKNOWN = "is not a known member";
const ONCE = "must hold {id} once, and no other brace";
const SECRET =
  "api_key.fields must neither give a secret the name of another field nor its own away";
const CLEAN = "must be a path without";
const INHERITED = "must not be a name that every object inherits";
/** In a program's own text, `__proto__` would not be a member. */
const json = (text: string): unknown => JSON.parse(text);

describe("a bad profile is refused", () => {
  test.each<[profile: unknown, says: string | RegExp]>([
    [5, /^profile: .*object/],
    [{ settle: 1 }, /^profile: settle is not a known member/],
    [{ resources: { sevrer: {} } }, /\.sevrer is not a resource of .*; use .*server/],
    [server({ pth: "/x" }), `resources.server.pth ${UNKNOWN}`],
    [server({ operations: { list: false } }), `operations.list ${UNKNOWN}`],
    [server({ path: "machines" }), "path must be a path such as /machines"],
    [server({ itemPath: "/machines/x" }), "itemPath must hold {id}"],
    [{ rotatePath: "/rotate" }, "rotatePath must hold {id}"],
    [server({ itemPath: "/servers/{id}/{id}" }), `itemPath ${ONCE}`],
    [server({ itemPath: "/servers/{server_id}/{id}" }), `itemPath ${ONCE}`],
    [server({ itemPath: "/servers/{id}}" }), `itemPath ${ONCE}`],
    [server({ path: "/servers/{id}" }), "server.path must be a path without { and }"],
    [{ authTestPath: "/x/{id}" }, "authTestPath must be a path without { and }"],
    [server({ path: "/teams" }), "server.path must not be that of resources.team.path"],
    [{ authTestPath: "/teams" }, "authTestPath must not be that of resources.team.path"],
    [{ resources: { team: { states: { ready: ["x"] } } } }, "team.states must be left out"],
    [server({ states: { ready: ["error"] } }), "states must not have error as ready and as failed"],
    [
      server({ states: { initial: "failed" } }),
      "states must not begin with failed, which is failed",
    ],
    [{ resources: { api_key: { fields: { value: "name", name: "value" } } } }, SECRET],
    [{ resources: { api_key: { fields: { value: "name", name: "label" } } } }, SECRET],
    [named("x", "nam"), /fields\.nam is not a field that .* renamed; use .*name/],
    [named("x", "id"), "fields.id is not a field that can be renamed"],
    [named("status"), "gives two fields the wire name status"],
    [server({ path: "/../../admin" }), `server.path ${CLEAN} empty segments`],
    [{ authTestPath: "/auth/./test" }, `authTestPath ${CLEAN}`],
    [server({ path: "//x.test/x" }), `path ${CLEAN} empty segments`],
    [server({ itemPath: "/servers/{id}/../x" }), `itemPath ${CLEAN}`],
    [named("__proto__"), `fields.name ${INHERITED}`],
    [named("constructor"), `fields.name ${INHERITED}`],
    [json('{"resources":{"__proto__":{"path":"/x"}}}'), `resources.__proto__ ${UNKNOWN}`],
    [json('{"resources":{"server":{"fields":{"__proto__":"x"}}}}'), `fields.__proto__ ${UNKNOWN}`],
    [json('{"__proto__":{"unset":"null"}}'), `__proto__ ${UNKNOWN}`],
    [server({ states: { ready: [] } }), "states.ready"],
    [{ idempotency: { windowHours: 0 } }, "idempotency.windowHours"],
    [server({ updateMethod: "POST" }), "updateMethod"],
  ])("the profile %j is refused, with the place and the reason: %s", (profile, sentence) => {
    const message = refusal(profile);
    expect(message).toMatch(sentence);
    expect(message).toContain("docs/reference/contract.md");
  });
});
