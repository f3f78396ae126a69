/** An account as people leave one behind: names in every script, duplicates, templates, nothing at all. */
import type { Emulator } from "../../../emulator";

/** Names that some language reads as something else. */
const ODD_NAMES: readonly string[] = [
  "main",
  "main",
  "Main",
  "main 2",
  "main_2",
  "server",
  "日本語",
  "日本",
  "🙂",
  "👨‍👩‍👧 family",
  "Zürich – Straße",
  "Zu\u0308rich",
  "1st",
  "-",
  " ",
  " padded ",
  "null",
  "true",
  "for",
  "class",
  "self",
  "__proto__",
  "constructor",
  "exports",
  "require",
  "${TfToken[TOKEN.0]}",
  "$${TfToken[TOKEN.0]}",
  "#{TfToken[TOKEN.0]}",
  "&{TfToken[TOKEN.0]}",
  "${var.x}",
  "$${var.x}",
  "$$${var.x}",
  "%{ if true }",
  "%%{x}",
  "$%{x}",
  "%${x}",
  "#{x} {{x}} <%= x %>",
  '"quoted"',
  "it's `ticked`",
  "back\\slash \\n \\u0041 \\",
  "two\nlines",
  "carriage\r\nreturn",
  "tab\tnul\u0000bell\u0007",
  "right\u202Eleft\u2066",
  "\uFEFFmarked\u200B",
  "<<EOT\nheredoc\nEOT",
  "<<-EOT",
  "*/ /* // # comment",
  "- yaml: [a, b]",
  "key: value # comment",
  "yes",
  "0x1F",
  "1e3",
  "~",
  "|",
  "'''",
  '"""',
  "\u2028line separator\u2029",
  "x".repeat(255),
];

/** Names of characters that languages care about, the same in each run. */
function madeNames(count: number): string[] {
  const alphabet = [..."ab_ -.$%{}\"'\\\n\t#`:/*é日🙂\u0301"];
  let state = 7;
  const next = (most: number): number => {
    state = (state * 48_271) % 2_147_483_647;
    return state % most;
  };
  return Array.from({ length: count }, () =>
    Array.from({ length: 1 + next(12) }, () => alphabet[next(alphabet.length)] ?? "a").join(""),
  );
}

/**
 * Fills an empty account. Two objects are such that no program can have them: they have no name.
 * @returns how many objects a program can have, the first admin key included
 */
export function plantAnyAccount(emulator: Emulator): number {
  const names = [...ODD_NAMES, ...madeNames(20)];
  const servers = emulator.createObjects(
    "server",
    names.map((name, index) => ({
      name,
      ...(index % 3 === 0 && {
        region: "eu",
        note: name,
        [name]: index,
        nested: { [name]: [name] },
      }),
      ...(index % 5 === 0 && { root_password: "correct horse" }),
    })),
  );
  const instances = emulator.createObjects(
    "instance",
    names.map((name, index) => ({
      name,
      server_id: servers[index % servers.length]?.["id"],
      ...(index % 2 === 0 && { version: name, edition: "community" }),
    })),
  );
  const backups = emulator.createObjects("backup", [
    ...instances.slice(0, 20).map(({ id }) => ({ instance_id: id })),
    ...servers.slice(0, 20).map(({ id }) => ({ server_id: id })),
    ...servers.slice(0, 5).map(({ id }) => ({ server_id: id })),
  ]);
  const teams = emulator.createObjects(
    "team",
    names.map((name, index) => ({
      name,
      members: Array.from({ length: index % 3 }, (_, member) => ({
        email: `member-${member}@example.com`,
        ...(member === 1 && { role: name }),
      })),
    })),
  );
  const keys = names.slice(0, 30).map((name, index) =>
    emulator.createKey({
      name,
      permissions: index % 2 === 0 ? ["servers:read", "instances:*"] : ["read"],
      ...(index % 3 === 0 && { ip_whitelist: ["203.0.113.0/24", "2001:db8::/32"] }),
      ...(index % 4 === 0 && { expires_at: "2027-01-01T00:00:00Z" }),
      ...(index % 5 === 0 && { rotation_enabled: true, rotation_period: "90d" }),
    }),
  );
  emulator.createObjects("server", { name: "", odd: true });
  emulator.createObjects("team", { odd: true });
  const planted = [servers, instances, backups, teams, keys];
  return planted.reduce((sum, { length }) => sum + length, 1);
}
