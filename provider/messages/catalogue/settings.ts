/** What is wrong with the configuration. Each continues a sentence that begins with the setting. */
import { predicate } from "../message";

const sentenceCase = (clause: string): string => clause.charAt(0).toUpperCase() + clause.slice(1);

export const settingsMessages = {
  missing_setting: predicate<{ name: string }>({
    when: "A setting without a default is not set.",
    summary: "Missing setting",
    text: () => "is missing",
    remedy: ({ name }, { howToSet }) => `${sentenceCase(howToSet(name))}.`,
    examples: [{ name: "apiKey" }, { name: "baseUrl" }],
  }),
  blank_setting: predicate<{ variable: string }>({
    when: "A setting whose absence nobody would notice was given as an empty text.",
    summary: "Empty setting",
    text: () => "is empty",
    remedy: ({ variable }) =>
      `Give a value, or leave it out to use ${variable}: an empty text would use it silently.`,
    examples: [{ variable: "ERPHOST_API_KEY" }],
  }),
  invalid_setting: predicate<{ expected: string }>({
    when: "A setting has a value of the wrong type, or outside its range.",
    summary: "Invalid setting",
    text: ({ expected }) => `must be ${expected}`,
    examples: [{ expected: "a duration from 100ms to 1h, such as 60s" }],
  }),
  own_address: predicate({
    when: "A setting that names another address than the run's own names the same one.",
    summary: "Same address",
    text: (_, { setting }) => `is the same as ${setting("baseUrl")}`,
    remedy: () => "Give the other address, or leave it out.",
  }),
  twin_elsewhere: predicate({
    when: "A run is to work on a twin that is not on this machine.",
    summary: "Twin on another machine",
    text: (_, { setting }) =>
      `is for a twin on this machine alone, and ${setting("baseUrl")} is not a loopback address that is reached directly`,
    remedy: () => "Use an address such as http://127.0.0.1:4010/v1, without a proxy.",
  }),
  twin_and_move: predicate({
    when: "A run is to work on a twin and to move states at once.",
    summary: "Twin and move at once",
    text: (_, { setting }) => `cannot be set together with ${setting("twinOf")}`,
    remedy: () => "Leave one of them out.",
  }),
  unknown_setting: predicate<{ known: readonly string[] }>({
    when: "The configuration has a key that is not a setting.",
    summary: "Unknown setting",
    text: () => "is not a setting",
    remedy: ({ known }, { or, field }) => `Use ${or(known.map((name) => field(name)))}.`,
    examples: [{ known: ["timeout", "share"] }],
  }),
  malformed_key: predicate({
    when: "The API key does not have the form of one.",
    summary: "Invalid API key",
    text: () => "is not a valid API key; expected <prefix>_<live|test>_<identifier>",
    remedy: () => "Copy it again from the dashboard.",
  }),
  wrong_environment: predicate<{ is: string; expected: string }>({
    when: "A live key is used where a test key is expected, or the reverse.",
    summary: "Key of the wrong environment",
    text: ({ is, expected }) => `is a ${is} key, but a ${expected} key is expected`,
    remedy: ({ expected }, { setting }) =>
      `Use a ${expected} key, or change ${setting("environment")}.`,
    examples: [{ is: "live", expected: "test" }],
  }),
  not_a_url: predicate({
    when: "The base address is not a URL.",
    summary: "Invalid address",
    text: () => "is not a URL; use https://host/v1",
  }),
  not_http: predicate({
    when: "The base address has another protocol than HTTP.",
    summary: "Invalid address",
    text: () => "must begin with https:// or http://",
  }),
  live_key_over_http: predicate({
    when: "A live key would be sent unencrypted.",
    summary: "Live key without encryption",
    text: () => "is an http address, and a live key is never sent without encryption",
    remedy: () => "Use the https address of the service.",
  }),
  http_not_allowed: predicate({
    when: "A key would be sent unencrypted to another machine.",
    summary: "Key without encryption",
    text: () => "is an http address, so anyone on the way can read the key",
    remedy: (_, { setting }) =>
      `Use https, or set ${setting("allowHttp")} to true to send a test key all the same.`,
  }),
  credentials_in_url: predicate({
    when: "The base address holds credentials.",
    summary: "Credentials in the address",
    text: () => "must not contain a user name or password",
    remedy: (_, { setting }) => `The key belongs in ${setting("apiKey")}.`,
  }),
  query_in_url: predicate({
    when: "The base address holds a query or a fragment.",
    summary: "Invalid address",
    text: () => "must not contain a query or a fragment; it ends in /v1",
  }),
  no_version_in_url: predicate<{ meant: string }>({
    when: "The base address does not end in the version of the API.",
    summary: "Invalid address",
    text: ({ meant }) => `must end in /v1; did you mean ${meant}?`,
    examples: [{ meant: "https://erp.example/v1" }],
  }),
  unreadable_profile: predicate<{ file: string; errorCode?: string | undefined }>({
    when: "The file of the contract profile cannot be read.",
    summary: "Unreadable profile",
    text: ({ file, errorCode }) =>
      `cannot be read from ${file}${errorCode === undefined ? "" : ` (${errorCode})`}`,
    remedy: () => "Give JSON, or the path of a JSON file.",
    examples: [{ file: "profile.json", errorCode: "ENOENT" }, { file: "profile.json" }],
  }),
  profile_not_json: predicate<{ file?: string | undefined }>({
    when: "The contract profile is not JSON.",
    summary: "Unreadable profile",
    text: ({ file }) => `is not valid JSON${file === undefined ? "" : ` (${file})`}`,
    remedy: () => "Give an object as docs/reference/contract.md describes it.",
    examples: [{}, { file: "profile.json" }],
  }),
  invalid_proxy: predicate<{ variable: string }>({
    when: "The address of the proxy is not a URL of HTTP, or its password has a bare %.",
    summary: "Invalid proxy",
    text: ({ variable }) => `must be an http:// or https:// URL (${variable})`,
    remedy: () => "A % in its user name or password is written %25.",
    examples: [{ variable: "HTTPS_PROXY" }],
  }),
  invalid_user_agent: predicate({
    when: "A program's user agent has characters that a header cannot hold.",
    summary: "Invalid user agent",
    text: () => "must be 1 to 200 printable characters",
  }),
};
