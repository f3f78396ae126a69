/** The command of the npm package; its entries are tried by `npm run check package consumers`. */
import { join } from "node:path";
import { version } from "../../../package.json";
import type { NodeRelease } from "../registries/all";
import { installErphost, type Stage } from "../stage";
import { expectText, onNode, type Face } from "./face";

/** The command on every Node.js: nothing but the answer is printed, and no warning. */
export const cli: Face = {
  name: "cli",
  about: "the erphost command, on the oldest and on the current Node.js",
  rehearse: async (stage) => {
    for (const release of await stage.registries.nodes()) await rehearseCommand(stage, release);
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
      await installErphost(stranger);
      return join(stranger.folder, "node_modules");
    },
    use: async () => {
      expectText((await stranger.run("npx", "erphost", "--version")).output, version);
      return stage.withEmulator(stranger, async () => {
        const { output } = await stranger.run("npx", "erphost", "whoami", "--json");
        expectText(output, /^\{\s*"keyId": "key_1"/);
        return "--version, emulator, whoami, without a warning";
      });
    },
  });
}
