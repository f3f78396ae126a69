/** What is wrong with the configuration. Each continues a sentence that begins with the setting. */
import { define } from "../message";

const sentenceCase = (clause: string): string => clause.charAt(0).toUpperCase() + clause.slice(1);

export const settingsMessages = {
  missing_setting: define<{ name: string }>({
    when: "A setting without a default is not set.",
    summary: "Missing setting",
    predicate: true,
    text: () => "is missing",
    remedy: ({ name }, { howToSet }) => `${sentenceCase(howToSet(name))}.`,
    examples: [{ name: "apiKey" }, { name: "baseUrl" }],
  }),
  blank_setting: define<{ variable: string }>({
    when: "A setting that decides whose account it is was given as an empty text.",
    summary: "Empty setting",
    predicate: true,
    text: () => "is empty",
    remedy: ({ variable }) =>
      `Give a value, or leave it out to use ${variable}: an empty text would use it silently.`,
    examples: [{ variable: "ERPHOST_API_KEY" }],
  }),
  invalid_setting: define<{ expected: string }>({
    when: "A setting has a value of the wrong type, or outside its range.",
    summary: "Invalid setting",
    predicate: true,
    text: ({ expected }) => `must be ${expected}`,
    examples: [{ expected: "a duration from 100ms to 1h, such as 60s" }],
  }),
  unknown_setting: define<{ known: readonly string[] }>({
    when: "The configuration has a key that is not a setting.",
    summary: "Unknown setting",
    predicate: true,
    text: () => "is not a setting",
    remedy: ({ known }, { or, field }) => `Use ${or(known.map((name) => field(name)))}.`,
    examples: [{ known: ["timeout", "share"] }],
  }),
  malformed_key: define<object>({
    when: "The API key does not have the form of one.",
    summary: "Invalid API key",
    predicate: true,
    text: () => "is not a valid API key; expected <prefix>_<live|test>_<identifier>",
    remedy: () => "Copy it again from the dashboard.",
    examples: [{}],
  }),
  wrong_environment: define<{ is: string; expected: string }>({
    when: "A live key is used where a test key is expected, or the reverse.",
    summary: "Key of the wrong environment",
    predicate: true,
    text: ({ is, expected }) => `is a ${is} key, but a ${expected} key is expected`,
    remedy: ({ expected }, { setting }) =>
      `Use a ${expected} key, or change ${setting("environment")}.`,
    examples: [{ is: "live", expected: "test" }],
  }),
  not_a_url: define<object>({
    when: "The base address is not a URL.",
    summary: "Invalid address",
    predicate: true,
    text: () => "is not a URL; use https://host/v1",
    examples: [{}],
  }),
  not_http: define<object>({
    when: "The base address has another protocol than HTTP.",
    summary: "Invalid address",
    predicate: true,
    text: () => "must begin with https:// or http://",
    examples: [{}],
  }),
  live_key_over_http: define<object>({
    when: "A live key would be sent unencrypted.",
    summary: "Live key without encryption",
    predicate: true,
    text: () => "is an http address, and a live key is never sent without encryption",
    remedy: () => "Use the https address of the service.",
    examples: [{}],
  }),
  http_not_allowed: define<object>({
    when: "A key would be sent unencrypted to another machine.",
    summary: "Key without encryption",
    predicate: true,
    text: () => "is an http address, so anyone on the way can read the key",
    remedy: (_, { setting }) =>
      `Use https, or set ${setting("allowHttp")} to true to send a test key all the same.`,
    examples: [{}],
  }),
  credentials_in_url: define<object>({
    when: "The base address holds credentials.",
    summary: "Credentials in the address",
    predicate: true,
    text: () => "must not contain a user name or password",
    remedy: (_, { setting }) => `The key belongs in ${setting("apiKey")}.`,
    examples: [{}],
  }),
  query_in_url: define<object>({
    when: "The base address holds a query or a fragment.",
    summary: "Invalid address",
    predicate: true,
    text: () => "must not contain a query or a fragment; it ends in /v1",
    examples: [{}],
  }),
  no_version_in_url: define<{ meant: string }>({
    when: "The base address does not end in the version of the API.",
    summary: "Invalid address",
    predicate: true,
    text: ({ meant }) => `must end in /v1; did you mean ${meant}?`,
    examples: [{ meant: "https://erp.example/v1" }],
  }),
  unreadable_profile: define<{ file: string; errorCode?: string | undefined }>({
    when: "The file of the contract profile cannot be read.",
    summary: "Unreadable profile",
    predicate: true,
    text: ({ file, errorCode }) =>
      `cannot be read from ${file}${errorCode === undefined ? "" : ` (${errorCode})`}`,
    remedy: () => "Give JSON, or the path of a JSON file.",
    examples: [{ file: "profile.json", errorCode: "ENOENT" }, { file: "profile.json" }],
  }),
  profile_not_json: define<{ file?: string | undefined }>({
    when: "The contract profile is not JSON.",
    summary: "Unreadable profile",
    predicate: true,
    text: ({ file }) => `is not valid JSON${file === undefined ? "" : ` (${file})`}`,
    remedy: () => "Give an object as docs/contract.md describes it.",
    examples: [{}, { file: "profile.json" }],
  }),
  invalid_proxy: define<{ variable: string }>({
    when: "The address of the proxy is not a URL of HTTP.",
    summary: "Invalid proxy",
    predicate: true,
    text: ({ variable }) => `must be an http:// or https:// URL (${variable})`,
    examples: [{ variable: "HTTPS_PROXY" }],
  }),
  invalid_user_agent: define<object>({
    when: "A program's user agent has characters that a header cannot hold.",
    summary: "Invalid user agent",
    predicate: true,
    text: () => "must be 1 to 200 printable characters",
    examples: [{}],
  }),
};
