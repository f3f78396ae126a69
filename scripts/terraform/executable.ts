/** The provider as one executable: Node itself with the bundle and its compiled form inside. */
import { execFileSync } from "node:child_process";
import { chmodSync, copyFileSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import * as m from "../../provider/terraform/wire/messages";
import { encodeMessage } from "../../provider/grpc";
import { encodeMsgpack, type RawObject } from "../../provider/terraform/wire/msgpack";
import { UNKNOWN } from "../../provider/engine";

/** Marks where Node looks for what was put into it. */
const FUSE = "NODE_SEA_FUSE_fce680ab2cc467b6e072b8b5df1996b2";

/** Runs the bundle from its compiled form; a Node that can't use that compiles it anew. */
const STARTER = `"use strict";
const { getRawAsset } = require("node:sea");
const { Script } = require("node:vm");
const source = Buffer.from(getRawAsset("bundle")).latin1Slice();
const script = new Script(
  "(function (exports, require, module, __filename, __dirname) {" + source + "\\n})",
  { filename: "provider.cjs", cachedData: Buffer.from(getRawAsset("compiled")) },
);
script.runInThisContext()(exports, require, module, __filename, __dirname);
`;

/** @param node the Node.js that the executable is made of */
export async function singleExecutable(
  node: string,
  bundle: string,
  work: string,
  target: string,
): Promise<void> {
  const file = (name: string): string => join(work, name);
  writeFileSync(file("bundle.cjs"), bundle, "latin1");
  execFileSync(node, [join(__dirname, "warm.cjs"), file("bundle.cjs"), file("compiled")], {
    cwd: work,
    input: JSON.stringify(calls()),
    stdio: ["pipe", "inherit", "inherit"],
  });
  writeFileSync(file("starter.cjs"), STARTER);
  const config = {
    main: file("starter.cjs"),
    output: file("blob"),
    disableExperimentalSEAWarning: true,
    useCodeCache: true,
    // NODE_OPTIONS is meant for other programs.
    execArgvExtension: "none",
    // Thousands of short calls leave much behind that is short-lived.
    execArgv: ["--max-semi-space-size=32", "--min-semi-space-size=16"],
    assets: { bundle: file("bundle.cjs"), compiled: file("compiled") },
  };
  writeFileSync(file("sea.json"), JSON.stringify(config));
  execFileSync(node, ["--experimental-sea-config", file("sea.json")], { stdio: "ignore" });
  copyFileSync(node, target);
  chmodSync(target, 0o755);
  const postject = require("postject") as Postject;
  await postject.inject(target, "NODE_SEA_BLOB", readFileSync(file("blob")), {
    sentinelFuse: FUSE,
  });
}

/** What is used of the package, which has no types. */
interface Postject {
  inject(path: string, name: string, content: Buffer, options: object): Promise<void>;
}

/** What every run does, so that the functions of it are compiled. */
function calls(): [string, string][] {
  const call = (name: string, bytes: Buffer): [string, string] => [
    `/tfplugin6.Provider/${name}`,
    bytes.toString("base64"),
  ];
  const value = (raw: RawObject | null) => ({ msgpack: encodeMsgpack(raw) });
  const type_name = "erphost_server";
  const config = value({ name: "warm", properties: UNKNOWN });
  const state = { id: "srv_1", name: "warm" };
  const own = Buffer.from(
    JSON.stringify({ account: {}, profile: "none", managed: ["name"], echo: {} }),
  );
  return [
    call("GetProviderSchema", Buffer.alloc(0)),
    call(
      "ValidateProviderConfig",
      encodeMessage(m.validateProviderConfigRequest, { config: value({}) }),
    ),
    call(
      "ConfigureProvider",
      encodeMessage(m.configureProviderRequest, { terraform_version: "1", config: value({}) }),
    ),
    call("ValidateResourceConfig", encodeMessage(m.typedConfigRequest, { type_name, config })),
    call(
      "PlanResourceChange",
      encodeMessage(m.planRequest, {
        type_name,
        prior_state: value(null),
        config,
        prior_private: Buffer.alloc(0),
      }),
    ),
    call(
      "PlanResourceChange",
      encodeMessage(m.planRequest, {
        type_name,
        prior_state: value(state),
        config: value({ name: "warmer" }),
        prior_private: own,
      }),
    ),
    call(
      "UpgradeResourceState",
      encodeMessage(m.upgradeRequest, {
        type_name,
        version: 0,
        raw_state: { json: Buffer.from(JSON.stringify(state)) },
      }),
    ),
    call(
      "ReadDataSource",
      encodeMessage(m.typedConfigRequest, { type_name: "erphost_auth", config: value({}) }),
    ),
  ];
}
