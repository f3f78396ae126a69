/** API keys: as the service's own dashboard would make them, and what is left of each. */
import { useState } from "preact/hooks";
import { FormButton } from "./form";
import { call, useLive, type Data } from "./live";
import { address, useField, useForms } from "./objects";
import { Action, Badge, Card, CopyButton, Json, NewSecret, plain, Table } from "./parts";

/** What the emulator says of itself. */
export interface Health extends Data, Readonly<Record<"now" | "environment", string>> {
  readonly needs_admin_key: boolean;
  readonly limits?: readonly Record<"requests" | "windowMs", number>[];
  readonly resets_to: "copy" | "seed" | "nothing";
  readonly twin_of?: { readonly baseUrl: string };
}

/** The emulator's settings and its time. */
export const useHealth = () => useLive<Health>("/health", ["settings", "objects"]) ?? undefined;

const quoted = (text: string): string =>
  /^[\w.:/@%+,-]+$/.test(text) ? text : `'${text.replaceAll("'", `'\\''`)}'`;

/** The lines that a shell needs; without a key, where it goes. */
export function Lines({ value = "…" }: { value?: unknown }) {
  const twin = useHealth()?.twin_of;
  const lines = [
    `export ERPHOST_BASE_URL=${location.origin}/v1`,
    `export ERPHOST_API_KEY=${quoted(String(value))}`,
    ...(twin ? [`export ERPHOST_TWIN_OF=${quoted(twin.baseUrl)}`] : []),
  ].join("\n");
  return (
    <div class="vstack">
      <Json label="Lines for a shell" value={lines} />
      <CopyButton text={lines} name="Copy lines" />
    </div>
  );
}

/** A button that asks for the fields of a key, then shows its secret this once. */
export function CreateKey() {
  const schema = useForms()?.key;
  const environment = useHealth()?.environment;
  const [made, setMade] = useState<Data>();
  if (!schema || environment === undefined) return null;
  return (
    <>
      <FormButton
        {...{ name: "Create key", submit: "Create", tone: "main", schema }}
        value={{ permissions: ["admin"], environment }}
        onSubmit={(value) => call("POST", "/keys", value).then(setMade)}
      />
      <NewKey made={made} onClose={() => setMade(undefined)} />
    </>
  );
}

const NewKey = ({ made, onClose }: { made: Data | undefined; onClose: () => void }) => (
  <NewSecret {...{ heading: "New key", value: made?.["value"], onClose }}>
    Paste these lines into the shell that runs your program: <Lines value={made?.["value"]} />
  </NewSecret>
);

/** All keys, and the mails about those that the service rotates. */
export function Keys() {
  const [rotated, setRotated] = useState<Data>();
  const nowMs = Date.parse(useHealth()?.now ?? "");
  const { keys } = useLive<{ keys?: Data[] }>("/keys", ["objects", "secrets"]) ?? {};
  const { mails } = useLive<{ mails?: Data[] }>("/mails", ["mails"]) ?? {};
  const rotate = (id: unknown) => call("POST", `/keys/${String(id)}/rotate`).then(setRotated);
  const field = useField();
  const of = (key: Data, name: string) => field("api_key", key, name);
  const isOver = (key: Data) => Date.parse(String(of(key, "expires_at"))) <= nowMs;
  const actionsOf = ({ id }: Data) => (
    <div class="hstack">
      <Action name="Rotate" run={() => rotate(id)} />
      <FormButton
        {...{ name: "Revoke", submit: "Revoke", tone: "danger" }}
        ask={`Programs that use ${String(id)} are refused from now on.`}
        onSubmit={() => call("DELETE", `/objects/api_key/${String(id)}`)}
      />
    </div>
  );
  return (
    <>
      <Card heading="API keys" actions={<CreateKey />}>
        <Table
          rows={keys?.toReversed()}
          columns={[
            [
              "Name",
              (key) => <a href={address("api_key", key["id"])}>{String(of(key, "name"))}</a>,
            ],
            ["Permissions", (key) => plain(of(key, "permissions")), { wide: true }],
            ["Expires", (key) => plain(of(key, "expires_at"), "_at"), { wide: true }],
            ["State", (key) => <Badge of={isOver(key) ? "expired" : "active"} />],
            ["Actions", actionsOf],
          ]}
        />
      </Card>
      <Card heading="Mails">
        <Table
          rows={mails?.toReversed()}
          empty="None yet. A key that the service rotates by itself sends one, with its new secret."
          columns={[
            ["Sent", ({ at }) => plain(at, "_at")],
            ["To", ({ to }) => String(to), { wide: true }],
            ["Subject", ({ subject }) => String(subject)],
            ["New key", (mail) => <Json label="New key" value={mail["new_key"]} />],
          ]}
        />
      </Card>
      <NewKey made={rotated} onClose={() => setRotated(undefined)} />
    </>
  );
}
