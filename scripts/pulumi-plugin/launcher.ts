/** The plugin for a machine that has Node.js: a starter, a check of its version, the bundle. */

/** A file of a plugin's folder. */
export interface PluginFile {
  readonly name: string;
  readonly content: Buffer;
  readonly executable: boolean;
}

export const PROGRAM = "pulumi-resource-erphost";
const MAJOR = 22;
const MINOR = 19;
const NEEDS = `Node.js ${MAJOR}.${MINOR} or later`;

const starter = `#!/bin/sh
# Starts the plugin with the Node.js that ERPHOST_NODE names, or else the one on PATH.
folder=$(CDPATH= cd -- "$(dirname -- "$0")" && pwd)
node=\${ERPHOST_NODE:-node}
if ! command -v "$node" >/dev/null 2>&1; then
  echo "${PROGRAM} needs ${NEEDS}, and there is no $node on PATH. Install it, or name one in ERPHOST_NODE." >&2
  exit 1
fi
exec "$node" "$folder/launch.cjs" "$@"
`;

const windowsStarter = `@echo off\r
setlocal\r
if not defined ERPHOST_NODE set ERPHOST_NODE=node\r
where "%ERPHOST_NODE%" >nul 2>nul || (echo ${PROGRAM} needs ${NEEDS}, and there is no %ERPHOST_NODE% on PATH. 1>&2 & exit /b 1)\r
"%ERPHOST_NODE%" "%~dp0launch.cjs" %*\r
`;

/** Any Node.js can read this; what it loads then needs a newer one. */
const launch = `"use strict";
var found = process.versions.node.split(".").map(Number);
var fits = found[0] > ${MAJOR} || (found[0] === ${MAJOR} && found[1] >= ${MINOR});
if (!fits) {
  process.stderr.write(
    "${PROGRAM} needs ${NEEDS}, and " + process.execPath + " is " + process.version +
      ". Install a newer one, or name one in ERPHOST_NODE.\\n"
  );
  process.exit(1);
}
var os = require("node:os");
var path = require("node:path");
// Compiled code is kept in the user's own cache, which no other user can write to.
var cache = process.env.ERPHOST_CACHE_DIR ||
  path.join(process.env.XDG_CACHE_HOME || path.join(os.homedir(), ".cache"), "erphost");
require("node:module").enableCompileCache(path.join(cache, "compiled"));
require("./provider.cjs");
`;

/**
 * Pulumi's hosts end a plugin by SIGKILL. The plugin is a process of its own therefore, which sees
 * that this one is gone, and says goodbye as it should.
 */
const hosted = `"use strict";
var spawn = require("node:child_process").spawn;
var launch = require("node:path").join(__dirname, "launch.cjs");
var words = [launch, "--hosted"].concat(process.argv.slice(2));
var plugin = spawn(process.execPath, words, { detached: true, stdio: ["pipe", "inherit", "inherit"] });
plugin.on("exit", function (code) {
  process.exit(code === null ? 1 : code);
});
`;

/** What Pulumi starts by name: from its plugins, or from PATH. */
export const launcherFiles = (bundle: string): PluginFile[] => [
  { name: PROGRAM, content: Buffer.from(starter), executable: true },
  { name: `${PROGRAM}.cmd`, content: Buffer.from(windowsStarter), executable: true },
  { name: "launch.cjs", content: Buffer.from(launch), executable: false },
  { name: "provider.cjs", content: Buffer.from(bundle, "latin1"), executable: false },
];

/**
 * What Pulumi's Node.js host starts, for `pulumi package add FOLDER`; Pulumi itself starts what has
 * the program's name. Apart from the others, as `pulumi plugin install` runs npm wherever it finds
 * this description.
 * @param sdk version of Pulumi's SDK for Node.js
 */
export const hostedFiles = (bundle: string, version: string, sdk: string): PluginFile[] => {
  const manifest = {
    name: PROGRAM,
    version,
    private: true,
    main: "hosted.cjs",
    engines: { node: `>=${MAJOR}.${MINOR}` },
    // The host starts every plugin by a script of Pulumi's SDK.
    dependencies: { "@pulumi/pulumi": sdk },
  };
  return [
    { name: "PulumiPlugin.yaml", content: Buffer.from("runtime: nodejs\n"), executable: false },
    { name: "package.json", content: Buffer.from(JSON.stringify(manifest)), executable: false },
    { name: "hosted.cjs", content: Buffer.from(hosted), executable: false },
    ...launcherFiles(bundle),
  ];
};
