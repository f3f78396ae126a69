/** An account as people leave one behind: odd names, duplicates, and relations by chance. */
import type { Emulator } from "../../../emulator";
import { Chance } from "../../support/chance";

/** Names that some language reads as something else. */
const ODD_NAMES: readonly string[] = [
  ...["main", "main", "Main", "main 2", "main_2", "server"],
  ...["日本語", "日本", "🙂", "👨‍👩‍👧 family", "Zürich – Straße", "Zu\u0308rich"],
  ...["1st", "-", " ", " padded ", "null", "true", "for", "class", "self"],
  ...["__proto__", "constructor", "exports", "require"],
  ...["${TfToken[TOKEN.0]}", "$${TfToken[TOKEN.0]}", "#{TfToken[TOKEN.0]}", "&{TfToken[TOKEN.0]}"],
  ...["${var.x}", "$${var.x}", "$$${var.x}", "%{ if true }", "%%{x}", "$%{x}", "%${x}"],
  ...["#{x} {{x}} <%= x %>", '"quoted"', "it's `ticked`", "back\\slash \\n \\u0041 \\"],
  ...["two\nlines", "carriage\r\nreturn", "\tfirst a tab\nand a line", "tab\tnul\u0000bell\u0007"],
  ...["right\u202Eleft\u2066", "\uFEFFmarked\u200B", "<<EOT\nheredoc\nEOT", "<<-EOT"],
  ...[
    "*/ /* // # comment",
    "- yaml: [a, b]",
    "key: value # comment",
    "yes",
    "0x1F",
    "1e3",
    "~",
    "|",
  ],
  ...["'''", '"""', "\u2028line separator\u2029", "x".repeat(255)],
];

/** Names of characters that languages care about. */
function madeNames(chance: Chance, count: number): string[] {
  const alphabet = [..."ab_ -.$%{}\"'\\\n\t#`:/*é日🙂\u0301"];
  const letter = (): string => alphabet[chance.below(alphabet.length)] ?? "a";
  return Array.from({ length: count }, () =>
    Array.from({ length: 1 + chance.below(12) }, letter).join(""),
  );
}

/** Another account: `ERPHOST_ACCOUNT_SEED=8 npm test -- test/e2e/release/terraform/import`. */
const SEED = Number(process.env["ERPHOST_ACCOUNT_SEED"] ?? 7);

/**
 * Fills an empty account. Two objects are such that no program can have them: they have no name.
 * The same seed gives the same account.
 * @returns how many objects a program can have, the first admin key included
 */
export function plantAnyAccount(emulator: Emulator, seed = SEED): number {
  const chance = new Chance(seed);
  const oneIn = (count: number): boolean => chance.below(count) === 0;
  const idOf = (objects: readonly Record<string, unknown>[]): unknown =>
    objects[chance.below(objects.length)]?.["id"];
  const names = [...ODD_NAMES, ...madeNames(chance, 20)];
  const servers = emulator.createObjects(
    "server",
    names.map((name, index) => ({
      name,
      ...(oneIn(3) && { region: "eu", note: name, [name]: index, nested: { [name]: [name] } }),
      ...(oneIn(5) && { root_password: "correct horse" }),
    })),
  );
  const instances = emulator.createObjects(
    "instance",
    names.map((name) => ({
      name,
      server_id: idOf(servers),
      ...(oneIn(2) && { version: name, edition: "community" }),
    })),
  );
  const backups = emulator.createObjects("backup", [
    ...Array.from({ length: 20 }, () => ({ instance_id: idOf(instances) })),
    ...Array.from({ length: 25 }, () => ({ server_id: idOf(servers) })),
  ]);
  const teams = emulator.createObjects(
    "team",
    names.map((name) => ({
      name,
      members: Array.from({ length: chance.below(3) }, (_, member) => ({
        email: `member-${member}@example.com`,
        ...(member === 1 && { role: name }),
      })),
    })),
  );
  const keys = chance
    .sample(names, 30)
    .map((name) =>
      emulator.createKey({
        name,
        permissions: oneIn(2) ? ["servers:read", "instances:*"] : ["read"],
        ...(oneIn(3) && { ip_whitelist: ["203.0.113.0/24", "2001:db8::/32"] }),
        ...(oneIn(4) && { expires_at: "2027-01-01T00:00:00Z" }),
        ...(oneIn(5) && { rotation_enabled: true, rotation_period: "90d" }),
      }),
    );
  emulator.createObjects("server", { name: "", odd: true });
  emulator.createObjects("team", { odd: true });
  return [servers, instances, backups, teams, keys].reduce((sum, { length }) => sum + length, 1);
}
