/** What a schema says of a release. */
export interface Release {
  readonly version: string;
  /** Address of the project's repository on GitHub; without it the schema names no place. */
  readonly home?: string;
}

/** Inserted by the bundler. A plugin that runs from source has no release. */
declare const ERPHOST_RELEASE: Release | undefined;

export const release: Release =
  typeof ERPHOST_RELEASE === "object" ? ERPHOST_RELEASE : { version: "0.0.0-source" };

export const packageVersion: string = release.version;
