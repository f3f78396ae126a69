import { describe, expect, test } from "@jest/globals";
import {
  BackedUpInstance,
  ErpInstallation,
  moveConstruct,
  SealedApiKey,
  Server,
  ServerFleet,
  Team,
} from "../../cdktf-bindings";
import { newStack, only, synth } from "./support/stack";

const RECIPIENT = "age1ql3z7hjy54pw3hyww5ayyfg7zqgvc7w3j2elw8zmrj2kg5sfn9aqmcac8p";

describe("patterns", () => {
  test("an installation declares a server, an instance, a first backup and a team", () => {
    const stack = newStack();
    new ErpInstallation(stack, "production", {
      version: "17.0",
      edition: "community",
      members: [{ email: "ada@example.com", role: "admin" }],
    });
    expect(synth(stack).resource).toMatchSnapshot();
  });

  test("an installation can run on an existing server", () => {
    const stack = newStack();
    const server = Server.fromServerId(stack, "server", "srv_1");
    new ErpInstallation(stack, "trial", { server });
    const { resource } = synth(stack);
    expect(resource?.["erphost_server"]).toBeUndefined();
    expect(resource?.["erphost_team"]).toBeUndefined();
    expect(only(resource, "erphost_instance")["server_id"]).toBe("srv_1");
  });

  test("an installation refuses server props together with an existing server", () => {
    const stack = newStack();
    const server = Server.fromServerId(stack, "server", "srv_1");
    new ErpInstallation(stack, "trial", { server, serverProps: { wait: false } });
    expect(() => synth(stack)).toThrow(/\[erp\/trial\] serverProps .* Remove one of the two\./);
  });

  test("a backed-up instance is backed up before and after an upgrade", () => {
    const stack = newStack();
    const server = Server.fromServerId(stack, "server", "srv_1");
    new BackedUpInstance(stack, "erp", { server, version: "18.0" });
    const { resource } = synth(stack);
    expect(only(resource, "erphost_instance")).toMatchObject({ backup_before_upgrade: true });
    expect(only(resource, "erphost_backup")["triggers"]).toEqual({ release: "18.0" });
  });

  test("a fleet's servers keep their addresses when others are removed or reordered", () => {
    const names = (servers: readonly string[]): string[] => {
      const stack = newStack();
      new ServerFleet(stack, "fleet", { servers });
      return Object.keys(synth(stack).resource?.["erphost_server"] ?? {}).sort();
    };
    const [, ...rest] = names(["a", "b", "c"]);
    expect(names(["c", "b"])).toEqual(rest);
  });

  test("a fleet shares its common props, and a member's own props win", () => {
    const stack = newStack();
    const fleet = new ServerFleet(stack, "fleet", {
      servers: ["eu/1", { name: "us", properties: { region: "us" } }],
      common: { properties: { region: "eu" } },
    });
    expect(Object.keys(fleet.servers)).toEqual(["eu/1", "us"]);
    const regions = Object.values(synth(stack).resource?.["erphost_server"] ?? {});
    expect(regions.map((each) => [each["name"], each["properties"]])).toEqual([
      ["eu/1", { region: "eu" }],
      ["us", { region: "us" }],
    ]);
  });

  test("a fleet that lists a name twice is refused", () => {
    const stack = newStack();
    new ServerFleet(stack, "fleet", { servers: ["a", "b", "a"] });
    expect(() => synth(stack)).toThrow(
      /\[erp\/fleet\] servers lists a more than once\. Remove or rename one of them/,
    );
  });

  test("a sealed key has the encrypted secret as its only output", () => {
    const stack = newStack();
    new SealedApiKey(stack, "pipeline", { permissions: ["servers:read"], recipient: RECIPIENT });
    const { resource, output } = synth(stack);
    expect(only(resource, "erphost_api_key")).toMatchObject({
      rotate_after: "90d",
      grace_period: "7d",
      recipient: RECIPIENT,
    });
    expect(Object.values(output ?? {}).map(({ value }) => value)).toEqual([
      expect.stringMatching(/\.encrypted_value\}$/),
    ]);
  });
});

describe("moving a construct", () => {
  test("moving a construct moves everything below it, and declares nothing twice", () => {
    const stack = newStack();
    const old = new ErpInstallation(stack, "old", { name: "erp", members: [] });
    const renamed = new ErpInstallation(stack, "new", { name: "erp", members: [] });
    moveConstruct(old, renamed);
    const { resource, moved } = synth(stack);
    expect(moved).toHaveLength(4);
    expect(Object.values(resource ?? {}).map((blocks) => Object.keys(blocks).length)).toEqual([
      1, 1, 1, 1,
    ]);
  });

  test("a move that would rename the object in the service is refused", () => {
    const stack = newStack();
    const old = new Server(stack, "old");
    expect(() => {
      moveConstruct(old, new Server(stack, "new"));
    }).toThrow(
      /would rename the object in the service from old to new\. Set name: "old" on the new construct\./,
    );
  });

  test("a move to a construct without a counterpart is refused, and names the missing resource", () => {
    const stack = newStack();
    const old = new Server(stack, "old");
    expect(() => {
      moveConstruct(old, new Team(stack, "new"));
    }).toThrow(
      /erp\/old can't be moved to erp\/new: there is no erphost_server at erp\/new\/Resource/,
    );
  });
});
