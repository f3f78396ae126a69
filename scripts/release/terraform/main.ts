/** `npm run build:terraform`: release, mirrors and entries for lock files, all below dist/. */
import { join } from "node:path";
import { parseArgs } from "node:util";
import { withLock } from "../../bootstrap/lock.cjs";
import { runCommand } from "../../../test/support/command-line";
import { build } from "./build";
import { ERPHOST, releaseFile } from "./layout";
import { signFile, signingKey } from "./sign";

const root = join(__dirname, "../../..");

const usage = `Usage: npm run build:terraform -- [--all] [--sign KEY]

  --all        makes an executable for each of six platforms (linux, darwin and windows, amd64 and
               arm64), and exits with 1 where one cannot be made; without it only for this
               machine's, where there is Go, and the other packages start the Node.js on PATH
  --sign KEY   signs the checksums with this key of gpg: an id, a fingerprint or an e-mail address.
               It must be an RSA or DSA key

It writes:

  dist/terraform-release          what a release carries, as the registries read it
  dist/terraform-mirror           a filesystem mirror: for provider_installation and -plugin-dir
  dist/terraform-network-mirror   a network mirror, for any web server with TLS
  dist/terraform-lock             entries for .terraform.lock.hcl that hold on every platform
  dist/terraform-registry         the pages that the registries show
`;

async function main(args: readonly string[]): Promise<number> {
  const { values } = parseArgs({
    args: [...args],
    options: { all: { type: "boolean", default: false }, sign: { type: "string" } },
  });
  // A build takes minutes; a key that cannot sign is refused before it.
  const key = values.sign === undefined ? undefined : signingKey(values.sign, process.env);
  const which = values.all ? "all" : "own";
  // Two processes that build at once would remove each other's files.
  const lock = join(root, "node_modules/.cache/terraform-mirror.lock");
  const { lines, without } = await withLock(lock, "the provider", () =>
    build(join(root, "dist"), which),
  );
  for (const line of lines) console.log(line);
  console.log(signed(key));
  if (!values.all || without.length === 0) return 0;
  console.error(`There is no executable for ${without.join(", ")}.`);
  return 1;
}

function signed(key: string | undefined): string {
  const sums = releaseFile(ERPHOST, "SHA256SUMS");
  if (key === undefined) return `${sums} is not signed; registries require that: --sign KEY.`;
  signFile(join(root, "dist/terraform-release", sums), key, process.env);
  return `${sums} is signed by ${key}.`;
}

runCommand(main, usage);
