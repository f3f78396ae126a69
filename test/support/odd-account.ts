/** An account whose names are hard to write down in any language. */
import type { Emulator } from "../../emulator";

export const ODD_NAMES = [
  "main",
  "main",
  "Main 2",
  "ERP Zürich",
  "名前 🚀",
  'quote " and \\ backslash',
  "${name} $${name} $$ %{if} `${x}`",
  "it's {{ a }} #{b} <<EOF",
  "line\nbreak\ttab\u2028\u0085\u007f\ufeff",
  "class",
  "default",
  "null",
  "123",
  "- yes: no",
  " space ",
  "servers",
  "erphost",
  "x".repeat(255),
] as const;

/** Servers of these names, with an instance, a backup and free fields; teams and keys of them. */
export function oddAccount(emulator: Emulator, names: readonly string[] = ODD_NAMES): void {
  names.forEach((name, index) => {
    const [server] = emulator.createObjects("server", {
      name,
      status: "running",
      note: name,
      tags: [name, { [`key ${name}`]: name }],
      count: index,
      ...(index === 0 && {
        "<<": { a: null, b: [], c: {}, d: [[1.5, -2], true] },
        __proto__name: "p",
        functions: { "fn::join": ["", ["a"]] },
        db_password: "hunter2",
      }),
    });
    const [instance] = emulator.createObjects("instance", {
      name,
      server_id: server?.["id"],
      version: "17.0",
      status: index % 2 === 0 ? "running" : "stopped",
    });
    emulator.createObjects("backup", { instance_id: instance?.["id"], status: "completed" });
    emulator.createObjects("team", {
      name,
      members: [
        { email: `ada${index}@example.com`, role: name },
        { email: `grace${index}@example.com` },
      ],
    });
    emulator.createKey({ name, permissions: ["servers:read", "instances:*"] });
  });
}
