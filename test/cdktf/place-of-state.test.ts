/** `toPlanNothingAfter`: which arguments of a backend are the place of the state. */
import { describe, expect, test } from "@jest/globals";
import { LocalBackend, type TerraformStack } from "cdktf";
import { join } from "node:path";
import { expectStack, synth } from "../../cdktf-bindings/testing";
import { newStack } from "./support/stack";
import { thrownBy } from "./support/thrown";

const EMPTY = "so its state would be another one, which is empty";

const backend = (type: string, settings: Readonly<Record<string, string>>): TerraformStack => {
  const stack = newStack();
  stack.addOverride(`terraform.backend.${type}`, settings);
  return stack;
};

const local = (path: string): TerraformStack => {
  const stack = newStack();
  new LocalBackend(stack, { path });
  return stack;
};

const plansNothing = (before: TerraformStack | string, after: TerraformStack) => (): void => {
  expectStack(after).toPlanNothingAfter(before);
};

describe("another place in a backend is another state", () => {
  test.each([
    ["kubernetes", "secret_suffix"],
    ["kubernetes", "namespace"],
    ["consul", "datacenter"],
    ["swift", "region_name"],
    ["cos", "region"],
    ["pg", "table_name"],
  ])("in %s: %s", (type, argument) => {
    const [a, b] = ["a", "b"].map((value) => backend(type, { [argument]: value }));
    expect(plansNothing(a as TerraformStack, b as TerraformStack)).toThrow(
      `the backend would change: ${argument} "a" → "b", ${EMPTY}`,
    );
  });

  test("and the region of a bucket that has its name everywhere is none", () => {
    const [a, b] = ["a", "b"].map((region) => backend("s3", { bucket: "states", region }));
    expect(plansNothing(a as TerraformStack, b as TerraformStack)).not.toThrow();
  });
});

test("a file in another folder is another state, although it has the name that the library gives it", () => {
  const file = "terraform.erp.tfstate";
  expect(plansNothing(local(`/states/a/${file}`), local(`/states/b/${file}`))).toThrow(EMPTY);
  expect(plansNothing(newStack(), local(`/states/b/${file}`))).toThrow(EMPTY);
  expect(plansNothing(local(`/states/a/terraform.x.tfstate`), newStack())).toThrow(EMPTY);
  expect(plansNothing(local(`/states/a/${file}`), local(`/states/a/${file}`))).not.toThrow();
  expect(plansNothing(newStack(), local(join(process.cwd(), file)))).not.toThrow();
  const onAnotherMachine = synth(local(`/srv/erp/${file}`));
  expect(plansNothing(onAnotherMachine, newStack())).not.toThrow();
});

describe("other credentials reach the same state, and another place with them does not", () => {
  type At = (password: string, place: string) => TerraformStack;
  const reached: Readonly<Record<string, At>> = {
    "an address": (password, place) =>
      backend("http", { address: `https://ada:${password}@states.example/${place}` }),
    "a connection as an address": (password, place) =>
      backend("pg", { conn_str: `postgres://ada:${password}@db.example/${place}` }),
    "a connection with its password behind it": (password, place) =>
      backend("pg", { conn_str: `postgres://db/${place}?user=ada&password=${password}` }),
    "a connection as settings": (password, place) =>
      backend("pg", { conn_str: `host=db password='its ${password}' user=ada dbname=${place}` }),
  };

  test.each(Object.entries(reached))("%s", (_, at) => {
    expect(plansNothing(at("4f9c2b7d", "erp"), at("8a1e0c35", "erp"))).not.toThrow();
    const failure = thrownBy(plansNothing(at("4f9c2b7d", "erp"), at("8a1e0c35", "shop")));
    expect(failure).toContain("(its values are not shown)");
    expect(failure).not.toMatch(/4f9c2b7d|8a1e0c35/);
  });
});
