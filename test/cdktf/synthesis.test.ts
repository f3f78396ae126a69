/** Checks between stacks read an app once in a synthesis, and again in the next one. */
import { describe, expect, test } from "@jest/globals";
import { TerraformStack, Testing, type App } from "cdktf";
import { ErphostStack, Instance, l1, Server } from "../../cdktf-bindings";
import { synth } from "./support/stack";

const LIVE = { baseUrl: "https://erp.example/v1", apiKeyVariable: "live_key" };
const EU = { baseUrl: "https://eu.example/v1", apiKeyVariable: "eu_key" };

/** An instance on another stack's server, both in the default account of their stacks. */
function twoStacks() {
  const app = Testing.app();
  const web = new ErphostStack(app, "web", { account: LIVE, accounts: { eu: EU } });
  const erp = new ErphostStack(app, "erp", { account: LIVE, accounts: { eu: EU } });
  const server = new Server(web, "web");
  new Instance(erp, "erp", { server });
  return { app, web, erp, server };
}

const write = (app: App) => () => {
  app.synth();
};
const REFUSED = /erp\/erp is in the account of .* web\/web/;

describe("a change of another stack between two syntheses counts", () => {
  test("where the app is synthesised twice", () => {
    const { app, web, server } = twoStacks();
    expect(write(app)).not.toThrow();
    server.resource.provider = web.account("eu");
    expect(write(app)).toThrow(REFUSED);
    server.resource.provider = web.provider;
    expect(write(app)).not.toThrow();
  });

  test("where one stack is synthesised twice, or each after the other", () => {
    const { web, erp, server } = twoStacks();
    expect(() => synth(erp)).not.toThrow();
    server.resource.provider = web.account("eu");
    expect(() => synth(erp)).toThrow(REFUSED);
    server.resource.provider = web.provider;
    expect(() => synth(web)).not.toThrow();
    expect(() => synth(erp)).not.toThrow();
  });

  test("where the first synthesis failed", () => {
    const { app, web, erp, server } = twoStacks();
    const late = new TerraformStack(app, "late");
    new l1.server.Server(late, "it", { name: "it", provider: erp.provider });
    expect(write(app)).toThrow("late/it is given erp/provider");
    server.resource.provider = web.account("eu");
    expect(() => synth(erp)).toThrow(REFUSED);
  });
});

test("what one app has read is not known to another", () => {
  const wrong = twoStacks();
  wrong.server.resource.provider = wrong.web.account("eu");
  const right = twoStacks();
  expect(write(wrong.app)).toThrow(REFUSED);
  expect(write(right.app)).not.toThrow();
  expect(write(wrong.app)).toThrow(REFUSED);
});

test("checks between stacks read each stack a fixed number of times, however many there are", () => {
  const visits = (count: number): number => {
    const app = Testing.app();
    let visited = 0;
    for (let index = 0; index < count; index += 1) {
      const stack = new ErphostStack(app, `erp-${index}`);
      new Server(stack, "web");
      const findAll = stack.node.findAll.bind(stack.node);
      stack.node.findAll = (order) => {
        visited += 1;
        return findAll(order);
      };
    }
    const findAll = app.node.findAll.bind(app.node);
    app.node.findAll = (order) => {
      visited += count;
      return findAll(order);
    };
    app.synth();
    return visited / count;
  };
  expect(visits(8)).toBe(visits(2));
});
