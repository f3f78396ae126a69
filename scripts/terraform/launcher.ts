/** The provider for a machine that has Node.js: a starter, a check of its version, the bundle. */
import type { Entry } from "./zip";

const NODE_NEEDED = [22, 19] as const;
const NEEDS = `Node.js ${NODE_NEEDED.join(".")} or later`;

/** Also what a person reads who has no Node at all. */
const starter = (program: string): string => `#!/bin/sh
# Starts the provider with the Node.js that ERPHOST_NODE names, or else the one on PATH.
folder=$(CDPATH= cd -- "$(dirname -- "$0")" && pwd)
node=\${ERPHOST_NODE:-node}
if ! command -v "$node" >/dev/null 2>&1; then
  echo "${program} needs ${NEEDS}, and there is no $node on PATH. Install it, or name one in ERPHOST_NODE."
  exit 1
fi
# Meant for other programs.
unset NODE_OPTIONS
exec "$node" "$folder/launch.cjs" "$@"
`;

/** Any Node.js can read this; what it loads then needs a newer one. */
const launch = (program: string): string => `"use strict";
var found = process.versions.node.split(".").map(Number);
var fits = found[0] > ${NODE_NEEDED[0]} || (found[0] === ${NODE_NEEDED[0]} && found[1] >= ${NODE_NEEDED[1]});
if (!fits) {
  // An engine shows what stands where the handshake should, and hides stderr.
  process.stdout.write(
    "${program} needs ${NEEDS}, and " + process.execPath + " is " + process.version +
      ". Install a newer one, or name one in ERPHOST_NODE.\\n",
  );
  process.exitCode = 1;
} else {
  var os = require("node:os");
  var path = require("node:path");
  // Compiled code is kept in the user's own cache, which no other user can write to.
  var cache = process.env.ERPHOST_CACHE_DIR || path.join(process.env.XDG_CACHE_HOME || path.join(os.homedir(), ".cache"), "erphost");
  require("node:module").enableCompileCache(path.join(cache, "compiled"));
  require("./provider.cjs");
}
`;

export function launcherEntries(program: string, bundle: string): Entry[] {
  const [plain] = program.split("_v");
  return [
    { name: program, content: Buffer.from(starter(plain ?? program)), executable: true },
    { name: "launch.cjs", content: Buffer.from(launch(plain ?? program)), executable: false },
    { name: "provider.cjs", content: Buffer.from(bundle, "latin1"), executable: false },
  ];
}
