/** A plugin for a machine that has Node.js: a starter, a check of its version, the bundle. */
import { engines } from "../../package.json";
import { textEntry, type Entry } from "./archive";

/** What Pulumi starts by name: from its plugins, or from PATH. */
export const PULUMI_PROGRAM = "pulumi-resource-erphost";
/** What Terraform and OpenTofu start, with the version behind it. */
export const TERRAFORM_PROGRAM = "terraform-provider-erphost";

/** The oldest Node.js that runs the product. */
export const MINIMUM = engines.node.replace(">=", "");
const [MAJOR = "", MINOR = ""] = MINIMUM.split(".");
const NEEDS = `Node.js ${MINIMUM} or later`;

/** Where a person reads what is wrong with the machine's Node.js. */
type Complaints = "stdout" | "stderr";

const starter = (program: string, complaints: Complaints): string => `#!/bin/sh
# Starts ${program} with the Node.js that ERPHOST_NODE names, otherwise with the one on PATH.
folder=$(CDPATH= cd -- "$(dirname -- "$0")" && pwd)
node=\${ERPHOST_NODE:-node}
if ! command -v "$node" >/dev/null 2>&1; then
  echo "${program} needs ${NEEDS}, and there is no $node on PATH. Install it, or name one in ERPHOST_NODE."${complaints === "stderr" ? " >&2" : ""}
  exit 1
fi
# Meant for other programs.
unset NODE_OPTIONS
exec "$node" "$folder/launch.cjs" "$@"
`;

/** `where` takes no paths. No parentheses: one in a path, as in `Program Files (x86)`, ends it. */
const windowsStarter = (program: string): string => `@echo off\r
setlocal\r
if not defined ERPHOST_NODE set ERPHOST_NODE=node\r
if exist "%ERPHOST_NODE%" goto found\r
where "%ERPHOST_NODE%" >nul 2>nul && goto found\r
echo ${program} needs ${NEEDS}, and there is no "%ERPHOST_NODE%". Install it, or name one in ERPHOST_NODE. 1>&2\r
exit /b 1\r
:found\r
set NODE_OPTIONS=\r
"%ERPHOST_NODE%" "%~dp0launch.cjs" %*\r
`;

/** Any Node.js can read this; what it loads then needs a newer one. */
const launch = (program: string, complaints: Complaints): string => `"use strict";
var found = process.versions.node.split(".").map(Number);
var fits = found[0] > ${MAJOR} || (found[0] === ${MAJOR} && found[1] >= ${MINOR});
if (!fits) {
  process.${complaints}.write(
    "${program} needs ${NEEDS}, and " + process.execPath + " is " + process.version +
      ". Install a newer one, or name one in ERPHOST_NODE.\\n"
  );
  process.exitCode = 1;
} else {
  var os = require("node:os");
  var path = require("node:path");
  // Compiled code is kept in the user's own cache. Nothing could check what another job left in one
  // that pipelines keep.
  if (!process.env.ERPHOST_CACHE_DIR && !process.env.CI) {
    var caches = process.env.XDG_CACHE_HOME || path.join(os.homedir(), ".cache");
    require("node:module").enableCompileCache(path.join(caches, "erphost", "compiled"));
  }
  require("./provider.cjs");
}
`;

/** The folder of a Pulumi plugin, for any platform. */
export const pulumiFiles = (bundle: string): Entry[] => [
  textEntry(PULUMI_PROGRAM, starter(PULUMI_PROGRAM, "stderr"), true),
  textEntry(`${PULUMI_PROGRAM}.cmd`, windowsStarter(PULUMI_PROGRAM), true),
  textEntry("launch.cjs", launch(PULUMI_PROGRAM, "stderr")),
  textEntry("provider.cjs", bundle),
];

/**
 * The folder of a Terraform provider, for any platform but Windows. The engines show what stands
 * where the handshake should be, and hide stderr, so that complaints go to stdout.
 */
export const terraformFiles = (bundle: string, version: string): Entry[] => [
  textEntry(`${TERRAFORM_PROGRAM}_v${version}`, starter(TERRAFORM_PROGRAM, "stdout"), true),
  textEntry("launch.cjs", launch(TERRAFORM_PROGRAM, "stdout")),
  textEntry("provider.cjs", bundle),
];

/** Pulumi's hosts SIGKILL a plugin: it is a process apart, which notices that and shuts down. */
const hosted = `"use strict";
var spawn = require("node:child_process").spawn;
var launch = require("node:path").join(__dirname, "launch.cjs");
var words = [launch, "--hosted"].concat(process.argv.slice(2));
var plugin = spawn(process.execPath, words, { detached: true, stdio: ["pipe", "inherit", "inherit"] });
plugin.on("exit", function (code) {
  process.exit(code === null ? 1 : code);
});
`;

/**
 * What Pulumi's Node.js host starts, for `pulumi package add FOLDER`; Pulumi itself starts what has
 * the program's name. Kept apart from the other folder because `pulumi plugin install` runs npm
 * wherever it finds this description.
 * @param sdk version of Pulumi's SDK for Node.js
 */
export const hostedFiles = (bundle: string, version: string, sdk: string): Entry[] => {
  const manifest = {
    name: PULUMI_PROGRAM,
    version,
    private: true,
    main: "hosted.cjs",
    engines,
    // The host starts every plugin with a script of Pulumi's SDK.
    dependencies: { "@pulumi/pulumi": sdk },
  };
  return [
    textEntry("PulumiPlugin.yaml", "runtime: nodejs\n"),
    textEntry("package.json", JSON.stringify(manifest)),
    textEntry("hosted.cjs", hosted),
    ...pulumiFiles(bundle),
  ];
};
