import { readFileSync } from "node:fs";
import { join } from "node:path";
import { describeLifecycle } from "../support/pulumi-lifecycle";

const profile = join(__dirname, "..", "..", "fixtures", "profile.json");

describeLifecycle("every kind, on a service with another path, wire name, state and operations", {
  emulator: { profile: JSON.parse(readFileSync(profile, "utf8")) as unknown },
  profile,
  retained: ["backup", "api_key"],
  serverName: "label",
  brief: true,
});
