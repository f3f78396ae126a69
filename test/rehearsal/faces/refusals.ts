/** What must not be installed or published, and is refused. */
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { basename, join } from "node:path";
import { version } from "../../../package.json";
import { lastLines, runProgram, type Finished } from "../../../scripts/bootstrap/programs.cjs";
import { platformOf } from "../../../scripts/release/terraform/layout";
import { checksum } from "../../../scripts/release/archive";
import { PULUMI } from "../artifacts";
import { serveFolder } from "../registries/all";
import { expectPublished, publishToNpm } from "../registries/npm";
import { publishToPython } from "../registries/python";
import { SYSTEM, type Stage } from "../stage";
import { machine, python, type Face } from "./face";
import { anyEngine, terraformUser } from "./terraform";

const FACE = "refused";

/** @returns the words of the refusal @throws Error where there was none, or another one */
function refusal({ code, output }: Finished, wanted: RegExp): string {
  const found = output.split("\n").find((line) => wanted.test(line));
  if (code !== 0 && found !== undefined) return found.replace(/^[^\p{L}]+/u, "").trim();
  throw new Error(`is not refused with ${String(wanted)}:\n${lastLines(output, 10)}`);
}

const GZIP = Buffer.from([0x1f, 0x8b]);
/** Where a gzip file says on which system it was made, which nobody reads. */
const GZIP_SYSTEM = 9;

/** The same file, but for one bit: so that it still unpacks, where that can be. */
function tampered(bytes: Buffer): Buffer {
  const changed = Buffer.from(bytes);
  const isGzip = bytes.subarray(0, GZIP.length).equals(GZIP);
  const at = isGzip ? GZIP_SYSTEM : Math.floor(changed.length / 2);
  changed[at] = (changed[at] ?? 0) ^ 1;
  return changed;
}

/** Works while a file has one bit changed. */
async function whileTampered<T>(file: string, work: () => Promise<T>): Promise<T> {
  const bytes = readFileSync(file);
  writeFileSync(file, tampered(bytes));
  try {
    return await work();
  } finally {
    writeFileSync(file, bytes);
  }
}

const refuse = (stage: Stage, command: string, use: () => Promise<string>): Promise<boolean> =>
  stage.attempt({ face: FACE, platform: SYSTEM, command, use });

/** A version is published once. */
const npmTwice = (stage: Stage): Promise<boolean> =>
  refuse(stage, "npm publish, the same version again", async () => {
    const registry = await stage.registries.npm();
    return refusal(
      await publishToNpm(registry, registry.archive),
      /publish over|already present|409/,
    );
  });

/** What the registry holds is what was published. */
const npmTampered = (stage: Stage): Promise<boolean> =>
  refuse(stage, "npm install of an archive with one bit changed", async () => {
    const { storage } = await stage.registries.npm();
    const stranger = await stage.stranger(await stage.registries.newest());
    await stranger.run("npm", "init", "--yes");
    const file = join(storage, "erphost", `erphost-${version}.tgz`);
    const install = () => stranger.try("npm", "install", "erphost");
    return refusal(await whileTampered(file, install), /EINTEGRITY/);
  });

/** What the checkout brings and the package does not is noticed. */
const npmIncomplete = (stage: Stage): Promise<boolean> =>
  refuse(stage, "a package that lists a dependency for development alone", async () => {
    const registry = await stage.registries.npm();
    const folder = join(stage.folder, "incomplete");
    mkdirSync(folder);
    const options = { env: process.env, timeoutMs: 60_000 };
    await runProgram("tar", ["-xzf", registry.archive, "-C", folder], options);
    const file = join(folder, "package", "package.json");
    // Our own, as it was packed.
    const manifest = JSON.parse(readFileSync(file, "utf8")) as Manifest;
    const { commander = "", ...dependencies } = manifest.dependencies;
    const devDependencies = { ...manifest.devDependencies, commander };
    const broken = "0.0.0-incomplete";
    const scripts = {};
    const text = { ...manifest, version: broken, dependencies, devDependencies, scripts };
    writeFileSync(file, JSON.stringify(text));
    const published = await publishToNpm(registry, join(folder, "package"), "--tag", "incomplete");
    expectPublished("the incomplete package", published);
    const stranger = await stage.stranger(await stage.registries.newest());
    await stranger.run("npm", "init", "--yes");
    await stranger.run("npm", "install", `erphost@${broken}`);
    return refusal(await stranger.try("npx", "erphost", "--version"), /Cannot find module/);
  });

interface Manifest {
  readonly dependencies: Readonly<Record<string, string>>;
  readonly devDependencies: Readonly<Record<string, string>>;
}

/** A zip that is not the one in the signed checksums. */
const zipTampered = (stage: Stage): Promise<boolean> =>
  refuse(stage, "init with a zip with one bit changed", async () => {
    const hosts = await stage.registries.terraform();
    const replace = (path: string, content: Buffer): Buffer =>
      path.endsWith(".zip") ? tampered(content) : content;
    const changed = await hosts.replaced(join(stage.folder, "changed"), replace);
    try {
      const engine = anyEngine();
      const stranger = await terraformUser(stage, changed, engine);
      stranger.write({ "main.tf": PLAIN });
      return refusal(await stranger.try(engine, "init", "-no-color"), /checksum|doesn't match/);
    } finally {
      await changed.stop();
    }
  });

const PLAIN = `terraform {
  required_providers {
    erphost = {
      source = "erphost/erphost"
    }
  }
}
`;

/** An archive that is not the one of the checksums file. */
const archiveTampered = (stage: Stage): Promise<boolean> =>
  refuse(stage, "pulumi plugin install of an archive with one bit changed", async () => {
    await stage.registries.pulumi();
    const [os, arch] = platformOf(process.platform, process.arch).split("_");
    const name = `pulumi-resource-erphost-v${version}-${os}-${arch}.tar.gz`;
    const bytes = readFileSync(join(PULUMI, name));
    const folder = join(stage.folder, "archives");
    mkdirSync(folder);
    writeFileSync(join(folder, name), tampered(bytes));
    const server = await serveFolder(folder);
    try {
      const stranger = await stage.stranger(await stage.registries.newest(), {
        programs: machine("pulumi"),
        env: { PULUMI_SKIP_UPDATE_CHECK: "true" },
      });
      // Whatever HOME says, Pulumi would take the plugin that this machine's user has.
      stranger.env["PULUMI_HOME"] = join(stranger.home, ".pulumi");
      const from = ["--server", server.address, "--checksum", checksum(bytes)];
      const words = ["plugin", "install", "resource", "erphost", version, ...from];
      return refusal(await stranger.try("pulumi", ...words), /checksum/);
    } finally {
      await server.stop();
    }
  });

/** A version is uploaded once. */
const wheelTwice = (stage: Stage): Promise<boolean> =>
  refuse(stage, "twine upload, the same version again", async () => {
    const index = await stage.registries.python();
    return refusal(await publishToPython(index, index.tools, [index.wheel]), /already exists/);
  });

/** A wheel that is not the one that a project has locked. */
const wheelTampered = (stage: Stage): Promise<boolean> =>
  refuse(stage, "pip install --require-hashes of a wheel with one bit changed", async () => {
    const { index, files, wheel } = await stage.registries.python();
    const stranger = await stage.stranger(await stage.registries.newest(), {
      programs: await python(),
      env: { PIP_INDEX_URL: index },
    });
    await stranger.run("python3", "-m", "venv", "venv");
    const hash = checksum(readFileSync(wheel));
    stranger.write({
      "requirements.txt": `pulumi_erphost==${version} --hash=sha256:${hash}\n`,
    });
    const words = [
      "-m",
      "pip",
      "install",
      "--no-deps",
      "--require-hashes",
      "-r",
      "requirements.txt",
    ];
    const install = () => stranger.try(join(stranger.folder, "venv/bin/python"), ...words);
    const file = join(files, basename(wheel));
    return refusal(await whileTampered(file, install), /DO NOT MATCH THE HASHES/);
  });

export const refusals: Face = {
  name: "refusals",
  about: "what registries and installers must refuse: second versions, changed archives",
  rehearse: async (stage) => {
    const all = [npmTwice, npmTampered, npmIncomplete, zipTampered];
    for (const each of [...all, archiveTampered, wheelTwice, wheelTampered]) await each(stage);
  },
};
