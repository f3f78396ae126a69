/** Where a key's secret stands in a state file, for each way in which states keep secrets. */
import { isRecord } from "../provider/contract";
import { expect } from "./steps";

/** A value by its path in a JSON document: `resources[0].outputs.value`. */
type Place = readonly [path: string, value: string];

/** Every text of a JSON document. */
function texts(value: unknown, path = ""): readonly Place[] {
  if (typeof value === "string") return [[path, value]];
  if (Array.isArray(value)) return value.flatMap((each, n) => texts(each, `${path}[${n}]`));
  if (!isRecord(value)) return [];
  const below = (name: string): string => (path === "" ? name : `${path}.${name}`);
  return Object.entries(value).flatMap(([name, each]) => texts(each, below(name)));
}

/** Terraform keeps a provider's own data in base64. */
const decoded = (text: string): string =>
  /^[A-Za-z0-9+/]{16,}={0,2}$/.test(text) ? Buffer.from(text, "base64").toString("latin1") : "";

/** Paths at which a state has a secret in plain text, or in base64. */
function plainPlaces(state: unknown, secret: string): readonly string[] {
  expect(secret !== "", "there is no secret to look for");
  return texts(state)
    .filter(([, text]) => text.includes(secret) || decoded(text).includes(secret))
    .map(([path]) => path);
}

const expectNowhere = (state: unknown, secret: string): void => {
  const places = plainPlaces(state, secret);
  expect(places.length === 0, `the state has the key's secret in plain text: ${places.join(", ")}`);
};

/** The property that Pulumi gives everything it has encrypted, and the value that says so. */
const SECRET_MARK = [
  "4dabf18193072939515e22adb298388d",
  "1b47061264138c4ac30d75fd1eb44270",
] as const;

const isCiphertext = (value: unknown): boolean =>
  isRecord(value) &&
  value[SECRET_MARK[0]] === SECRET_MARK[1] &&
  typeof value["ciphertext"] === "string" &&
  value["ciphertext"] !== "";

const listOf = (value: unknown): readonly Readonly<Record<string, unknown>>[] =>
  Array.isArray(value) ? value.filter(isRecord) : [];

const recordOf = (value: unknown): Readonly<Record<string, unknown>> =>
  isRecord(value) ? value : {};

/** Pulumi's checkpoint has the secret as ciphertext, and nowhere in plain text. */
export function expectEncrypted(stateText: string, secret: string): void {
  const state: unknown = JSON.parse(stateText);
  expectNowhere(state, secret);
  const { latest } = recordOf(recordOf(state)["checkpoint"]);
  const key = listOf(recordOf(latest)["resources"]).find(({ urn }) =>
    String(urn).endsWith("ApiKey::pipeline"),
  );
  expect(key !== undefined, "the state has no pipeline key");
  expect(
    isCiphertext(recordOf(key["outputs"])["value"]),
    "the state does not have the key's secret as ciphertext",
  );
}

/** Terraform's state has the secret only where it is marked sensitive: `terraform` does not print it. */
export function expectMarkedSensitive(stateText: string, secret: string): void {
  const state = recordOf(JSON.parse(stateText));
  const marked = [...markedAttributes(state), ...markedOutputs(state)];
  const places = plainPlaces(state, secret);
  expect(places.length > 0, "the state does not have the key's secret at all");
  const unmarked = places.filter((place) => !marked.includes(place));
  expect(
    unmarked.length === 0,
    `the state has the key's secret where nothing marks it as sensitive: ${unmarked.join(", ")}`,
  );
}

/** `resources[3].instances[0].attributes.value`, for each attribute that is marked as a whole. */
const markedAttributes = (state: Readonly<Record<string, unknown>>): readonly string[] =>
  listOf(state["resources"]).flatMap(({ instances }, resource) =>
    listOf(instances).flatMap(({ sensitive_attributes: paths }, instance) =>
      (Array.isArray(paths) ? paths : []).flatMap((path) => {
        const [step, ...more] = listOf(path);
        if (more.length > 0 || step?.["type"] !== "get_attr") return [];
        const attributes = `resources[${resource}].instances[${instance}].attributes`;
        return [`${attributes}.${String(step["value"])}`];
      }),
    ),
  );

const markedOutputs = ({ outputs }: Readonly<Record<string, unknown>>): readonly string[] =>
  Object.entries(recordOf(outputs))
    .filter(([, output]) => recordOf(output)["sensitive"] === true)
    .map(([name]) => `outputs.${name}.value`);

/** The state has the secret nowhere in plain text, but as an age file for whoever has the identity. */
export function expectSealed(stateText: string, secret: string): void {
  const state: unknown = JSON.parse(stateText);
  expectNowhere(state, secret);
  expect(
    texts(state).some(([, text]) => text.startsWith("-----BEGIN AGE ENCRYPTED FILE-----")),
    "the state does not have the key's secret as an age file",
  );
}
