/** Keys that may do more than what uses them needs. */
import { expect, test } from "@jest/globals";
import { App, Aspects, TerraformStack, Testing, type IResolvable } from "cdktf";
import {
  ApiKey,
  deployKeyFor,
  ErphostProvider,
  ErphostStack,
  l1,
  NoAdminKeys,
  NoWideKeys,
  Server,
  Team,
} from "../../cdktf-bindings";
import { synth, thrownBy, variable } from "./support/stack";

/** A stack with a server, and a key in another one. */
function program(permissions: readonly ("admin" | "servers:*" | "servers:read")[]) {
  const app = Testing.app();
  const keys = new ErphostStack(app, "keys");
  const stack = new ErphostStack(app, "erp");
  new Server(stack, "web", { deletionProtection: true });
  return { app, keys, stack, key: new ApiKey(keys, "pipeline", { permissions }) };
}

test("a key that may do more than what uses it needs is an error, with the scopes and the remedy", () => {
  const { keys, stack, key } = program(["servers:*"]);
  key.usedBy(stack);
  Aspects.of(keys).add(new NoWideKeys());
  expect(() => synth(keys)).toThrow(
    '[keys/pipeline] permissions go beyond what erp needs: servers:delete. Use deployKeyFor, or set it to ["servers:read","servers:write"].',
  );
});

test("the Aspect of an app looks at the keys of every stack, generated ones too, and once", () => {
  const { app, keys, stack, key } = program(["admin"]);
  key.usedBy(stack, { for: "plan" });
  const bare = new l1.apiKey.ApiKey(keys, "bare", { name: "bare", permissions: ["servers:*"] });
  new ErphostProvider(stack, "own", { alias: "own", apiKey: bare.value });
  Aspects.of(app).add(new NoWideKeys());
  const failure = thrownBy(() => synth(keys));
  expect(failure).toMatch(/\[keys\/pipeline\] .* needs: servers:write, servers:delete, inst/);
  expect(thrownBy(() => synth(keys)).match(/\[keys\/bare\]/g)).toHaveLength(1);
});

test("a warning lets the program be synthesised", () => {
  const { keys, stack, key } = program(["servers:*"]);
  key.usedBy(stack);
  Aspects.of(keys).add(new NoWideKeys({ report: "warning" }));
  expect(() => synth(keys)).not.toThrow();
  expect(key.node.metadata.map(({ type, data }) => [type, data as unknown])).toEqual([
    ["@cdktf/warn", expect.stringMatching(/beyond what erp needs: servers:delete/)],
  ]);
});

test("a key without a known use and one that is just wide enough are left alone", () => {
  const { app, keys, stack } = program(["admin"]);
  new ApiKey(keys, "computed", deployKeyFor(stack)).usedBy(stack);
  new ApiKey(keys, "narrow", { permissions: ["servers:read"] }).usedBy(stack);
  const list = variable(keys, "scopes", "list(string)").value as IResolvable;
  new ApiKey(keys, "later", { permissions: list });
  Aspects.of(app).add(new NoWideKeys());
  expect(() => synth(keys)).not.toThrow();
});

test("permissions of which Terraform alone knows all or some do not pass, and what is known is judged", () => {
  const { keys, stack } = program([]);
  const list = variable(keys, "list", "list(string)").value as IResolvable;
  new ApiKey(keys, "all", { permissions: list }).usedBy(stack);
  const one = variable(keys, "one").stringValue;
  const some = ["servers:read", "teams:read", one as never] as const;
  new ApiKey(keys, "some", { permissions: some }).usedBy(stack, { for: "plan" });
  Aspects.of(keys).add(new NoWideKeys());
  const unknown = "is known only when Terraform runs, so NoWideKeys cannot check it";
  const refusal = thrownBy(() => synth(keys));
  expect(refusal).toContain(`[keys/all] permissions ${unknown}`);
  expect(refusal).toContain("[keys/some] permissions go beyond what erp needs: teams:read.");
  expect(refusal).toContain(`[keys/some] permissions ${unknown}`);
  expect(refusal).not.toContain("[keys/all] permissions go");
});

test("computed permissions are known to other rules", () => {
  const { app, keys, stack } = program(["servers:read"]);
  new ApiKey(keys, "computed", deployKeyFor(stack)).allow("teams:*");
  Aspects.of(app).add(new NoAdminKeys());
  expect(() => synth(keys)).toThrow(/\[keys\/computed\] .*teams:\*/);
  const narrow = new ErphostStack(app, "narrow");
  new ApiKey(narrow, "computed", deployKeyFor(stack));
  expect(() => synth(narrow)).not.toThrow();
});

test("two uses of one key need what both need", () => {
  const { app, keys, stack, key } = program(["servers:*"]);
  key.usedBy(stack);
  const other = new ErphostStack(app, "other");
  new Server(other, "web");
  key.usedBy(other);
  Aspects.of(keys).add(new NoWideKeys());
  expect(() => synth(keys)).not.toThrow();
});

test("a provider block is a use of the key that it has, in its own account only", () => {
  const app = new App({ outdir: Testing.app().outdir });
  const stack = new TerraformStack(app, "erp");
  const admin = new ErphostProvider(stack, "admin");
  const key = new ApiKey(stack, "key", { permissions: ["servers:*"], provider: admin });
  const provider = new ErphostProvider(stack, "narrow", { alias: "n", apiKey: key.value });
  new Team(stack, "team");
  new Server(stack, "web", { provider });
  Aspects.of(stack).add(new NoWideKeys());
  expect(() => synth(stack)).not.toThrow();
  key.allow("teams:read");
  expect(() => synth(stack)).toThrow(/\[erp\/key\] permissions .* erp needs: teams:read\./);
});
