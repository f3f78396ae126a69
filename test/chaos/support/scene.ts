/** One emulator and the stacks that a trial opens on it; all of it goes at the end. */
import type { EmulatorOptions } from "../../../emulator";
import type { Face, Site, SiteOptions } from "../faces/face";
import { openWorld, type World } from "./world";

export interface Scene {
  readonly world: World;
  readonly open: (options?: Omit<SiteOptions, "env">) => Promise<Site>;
}

export async function onScene<T>(
  face: Face,
  options: EmulatorOptions,
  play: (scene: Scene) => Promise<T>,
): Promise<T> {
  const world = await openWorld(options);
  const sites: Site[] = [];
  const open: Scene["open"] = async (more = {}) => {
    const site = await face.open({ env: world.env, ...more });
    sites.push(site);
    return site;
  };
  try {
    return await play({ world, open });
  } finally {
    for (const site of sites.reverse()) site.close();
    await world.close();
  }
}
