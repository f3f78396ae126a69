/**
 * What looks like a secret and what does not: the table that every user of the list is tested with.
 * Secrets are put together here, so that nobody who searches the tree for leaked ones finds any.
 */

const LETTERS = "q7Zr2Lk9Wm4Xc8Vb3Nt6Yh1Jd5Gf0Sp";

/** Letters and digits, `count` of them. */
const some = (count: number): string => LETTERS.repeat(Math.ceil(count / 32)).slice(0, count);
const upper = (count: number): string => some(count).toUpperCase();
const jwt = ["eyJhbGciOiJIUzI1NiJ9", `eyJzdWIiOiIxMjM0${some(12)}`, some(43)].join(".");
const pem = (kind: string): string =>
  [`-----BEGIN ${kind}-----`, some(64), some(30), `-----END ${kind}-----`].join("\n");

/** Texts that hold a secret, with a part of it, under the names of what gives them. */
export const SECRET_TEXTS: readonly (readonly [what: string, text: string, secret: string])[] = [
  ...(
    [
      ...["ghp_", "gho_", "ghu_", "ghs_", "ghr_"].map((head) => [head, head + some(36)] as const),
      ["github_pat_", `github_pat_${some(22)}_${some(40)}`],
      ...["glpat-", "gldt-", "glrt-", "glptt-", "glcbt-"].map(
        (head) => [head, head + some(20)] as const,
      ),
      ["AKIA", `AKIA${upper(16)}`],
      ["ASIA", `ASIA${upper(16)}`],
      ...["xoxb-", "xoxp-", "xoxa-", "xoxr-", "xoxs-", "xapp-"].map(
        (head) => [head, `${head}2413-${some(24)}`] as const,
      ),
      ["sk_live_", `sk_live_${some(24)}`],
      ["rk_test_", `rk_test_${some(24)}`],
      ["whsec_", `whsec_${some(32)}`],
      ["AIza", `AIza${some(35)}`],
      ["npm_", `npm_${some(36)}`],
      ["pypi-", `pypi-AgEI${some(60)}`],
      ["dop_v1_", `dop_v1_${some(64).toLowerCase()}`],
      ["hf_", `hf_${some(34)}`],
      ["sk-", `sk-${some(48)}`],
      ["sk-ant-", `sk-ant-api03-${some(60)}`],
      ["a token of Pulumi", `pul-${"0a1b2c3d4e".repeat(4)}`],
      ["a token of HCP Terraform", `${some(14)}.atlasv1.${some(60)}`],
      ["a token of Databricks", `dapi${"0a1b".repeat(8)}`],
      ...["shpat_", "glsa_", "lin_api_"].map((head) => [head, head + some(40)] as const),
      ["ATATT3x", `ATATT3x${some(180)}=0A1B2C3D`],
      ["xkeysib-", `xkeysib-${some(64).toLowerCase()}-${some(16)}`],
      ["GR1348941", `GR1348941${some(20)}`],
      ["an age identity", `AGE-SECRET-KEY-1${upper(58)}`],
      ["a JSON Web Token", jwt],
      ["an unsigned JSON Web Token", jwt.replace(/[^.]+$/, "")],
      ["a key of a service of ours", `erp_live_${some(24)}`],
      ["a private key", pem("RSA PRIVATE KEY")],
      ["a private key of OpenSSH", pem("OPENSSH PRIVATE KEY")],
      ["a private key that was cut", pem("PRIVATE KEY").slice(0, 80)],
    ] as const
  ).map(([what, secret]) => [what, `before ${secret}`, secret.split("\n")[1] ?? secret] as const),
  ["a password in an address", "postgres://erp:hunter2@db.example.com/erp", "hunter2"],
  ["a password in an address of nobody's", "redis://:hunter2@cache:6379", "hunter2"],
  ["a header of HTTP", `Authorization: Bearer ${some(12)}`, some(12)],
  ["a token after Bearer", `it sends Bearer ${some(12)}.`, some(12)],
  ["a password after Basic", "use basic dXNlcjpodW50ZXIy", "dXNlcjpodW50ZXIy"],
  ["a header with parameters", "Authorization: Digest nonce=n, response=hunter2", "hunter2"],
  ["password=", "dbname=erp password=hunter2 host=db", "hunter2"],
  ["Password= of a connection string", "Server=db;Password=hunter2;User=erp", "hunter2"],
  ["PASSWORD= of a shell", "export DB_PASSWORD='correct horse'", "correct horse"],
  ["password: of YAML", "user: erp\npassword: correcthorse\n", "correcthorse"],
  ["token: ", "its token: abcdefgh, for now", "abcdefgh"],
  ["token: in JSON", '{"user":"erp","token":"abcdefgh"}', "abcdefgh"],
  ["a secret in JSON in JSON", String.raw`{\"client_secret\":\"abcdefgh\"}`, "abcdefgh"],
  ["a secret in Ruby", ":secret => 'abcdefgh'", "abcdefgh"],
  ["token= of a query", "https://example.com/?page=1&token=abcdefgh&x=2", "abcdefgh"],
  ["AccountKey=", "AccountName=erp;AccountKey=abc+def==;Suffix=x", "abc+def=="],
  ["an API key in a text", "api_key = abcdefgh", "abcdefgh"],
  ["a header of a key", "X-Api-Key: abcdefgh", "abcdefgh"],
  ["a secret in another's value", "dsn=password=hunter2", "hunter2"],
  ["an option", "psql --password=hunter2", "hunter2"],
  ["an option and its value", "psql --password hunter2 --host db", "hunter2"],
  ["an aligned password", "user         = erp\npassword     = hunter2", "hunter2"],
  ["an aligned password of YAML", "user:         erp\npassword:     hunter2x", "hunter2x"],
  ["a password after tabs", "password\t\t=\t\thunter2", "hunter2"],
  ["a webhook of Slack", `https://hooks.slack.com/services/T0/B0/${some(24)}`, some(24)],
];

/** Texts that resemble one, and must stay readable. */
export const HARMLESS_TEXTS: readonly string[] = [
  ...["17.0", "18.0.1-rc.2+build.1705", "2026-11-23T09:30:00.000Z", "0b58fec"],
  "3f8a2c1e-9b7d-4e6f-8a5b-1c2d3e4f5a6b",
  "9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08",
  ...["sha256:9f86d081884c7d659a2feaa0c55ad015", "sha512-z4PhNX7vuL3xVChQ1m2AB9Yg5AULVxXcg=="],
  ...["ops@example.com, ops+night@example.co.uk", "db-1.eu-west-1.internal.example.com:5432"],
  ...["https://example.com/a@b?x=1&y=2#z", "http://localhost:8080/people/me@example.com"],
  ...["ssh://git@example.com:22/erp.git", "arn:aws:iam::123456789012:role/erp"],
  ...["keyboard=us", "monkey=1", "compass: north", "the secretary: Anna"],
  ...["tokens: 4096", "max_tokens=4096", "the bearer of news", "Invalid token: expired"],
  "login --password-stdin registry.example.com, --secret-file secrets.txt, --token --host db",
  "a basic subscription, and basic authentication",
  "the password: must have 12 characters",
  "password: ***, token: ${TOKEN}, secret={{ vault.secret }}",
  "random:index/randomPassword:RandomPassword",
  "aws:secretsmanager/secret:Secret",
  "srv_1, key_12, srv_live, test_server and latest_test_1 are in use",
  "skiing, sk-SK, hf_1, npm_config, pypi-simple, glide-path, ghp, AKIA, eyJ.a.b",
  "-----BEGIN CERTIFICATE-----\nMIIB\n-----END CERTIFICATE-----",
  "All that is said here is said in many words, none of which is a secret, a token or a key; " +
    "whoever reads it learns that passwords are kept elsewhere, and so on. ".repeat(8).trim(),
];

const fieldsOf = (name: string, texts: readonly string[]): Readonly<Record<string, string>> =>
  Object.fromEntries(texts.map((text, index) => [`${name}_${index}`, text]));

/** All of them as free fields, whose names say nothing. */
export const TEXT_FIELDS = {
  ...fieldsOf(
    "note",
    SECRET_TEXTS.map(([, text]) => text),
  ),
  ...fieldsOf("plain", HARMLESS_TEXTS),
};

/** What no file and no line may hold of them. */
export const SECRET_PARTS = [...new Set(SECRET_TEXTS.map(([, , secret]) => secret))];
