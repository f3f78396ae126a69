/** The version that this plugin reports. */

/** Inserted by the bundler. A plugin that runs from source has no release. */
declare const ERPHOST_VERSION: string | undefined;

export const packageVersion: string =
  typeof ERPHOST_VERSION === "string" ? ERPHOST_VERSION : "0.0.0-source";
