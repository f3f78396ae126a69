/** What `package.json` says of the project, in the forms that packages of other languages want. */
import { bugs, license, repository, version } from "../../package.json";

/** Address of the repository for people: `https://github.com/owner/name`. */
export const home = repository.url.replace(/^git\+/, "").replace(/\.git$/, "");

/** What the plugin says of itself. */
export const release = { version, home } as const;

/** What every language's package needs of it. */
export const project = { ...release, license, repository, bugs } as const;
