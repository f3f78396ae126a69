/** The command of the npm package; its entries are tried by `npm run check package consumers`. */
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { version } from "../../../package.json";
import { runProgram } from "../../../scripts/bootstrap/programs.cjs";
import { expectPublished, publishToNpm } from "../registries/npm";
import type { NodeRelease } from "../registries/all";
import { SYSTEM, type Stage } from "../stage";
import { expectText, onNode, type Face } from "./face";

/** The command on every Node.js: nothing but the answer is printed, and no warning. */
export const cli: Face = {
  name: "cli",
  about: "the erphost command, on the oldest and on the current Node.js",
  rehearse: async (stage) => {
    for (const release of await stage.registries.nodes()) await rehearseCommand(stage, release);
    await rehearseIncomplete(stage);
  },
};

/** @returns whether it works */
async function rehearseCommand(stage: Stage, release: NodeRelease): Promise<boolean> {
  const stranger = await stage.stranger(release);
  return stage.attempt({
    face: "CLI",
    platform: onNode(release),
    command: "npm install erphost",
    install: async () => {
      await stranger.run("npm", "init", "--yes");
      await stranger.run("npm", "install", "erphost");
      return join(stranger.folder, "node_modules");
    },
    use: async () => {
      expectText((await stranger.run("npx", "erphost", "--version")).output, version);
      const emulator = await stage.emulator();
      try {
        Object.assign(stranger.env, emulator.env);
        const { output } = await stranger.run("npx", "erphost", "whoami", "--json");
        expectText(output, /^\{\s*"keyId": "key_1"/);
        return "--version, emulator, whoami, without a warning";
      } finally {
        await emulator.stop();
      }
    },
  });
}

interface Manifest {
  readonly dependencies: Readonly<Record<string, string>>;
  readonly devDependencies: Readonly<Record<string, string>>;
}

/** What the checkout brings and the package does not is noticed. */
const rehearseIncomplete = (stage: Stage): Promise<boolean> =>
  stage.attempt({
    face: "refused",
    platform: SYSTEM,
    command: "a package that lists a dependency for development alone",
    use: async () => {
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
      const own = { version: "0.0.0-incomplete", dependencies, devDependencies, scripts: {} };
      writeFileSync(file, JSON.stringify({ ...manifest, ...own }));
      const words = ["--tag", "incomplete"];
      expectPublished("it", await publishToNpm(registry, join(folder, "package"), ...words));
      const stranger = await stage.stranger(await stage.registries.newest());
      await stranger.run("npm", "init", "--yes");
      await stranger.run("npm", "install", `erphost@${own.version}`);
      const { code, output } = await stranger.try("npx", "erphost", "--version");
      if (code === 0) throw new Error("the command works without a package that it needs");
      const missing = "Cannot find module";
      expectText(output, new RegExp(missing));
      return missing;
    },
  });
