/** API keys: as the service's own dashboard would make them, and what is left of each. */
import { useState } from "preact/hooks";
import { FormButton } from "./form";
import { call, useLive, type Data } from "./live";
import { useForms } from "./objects";
import { Action, Badge, Card, CopyButton, Dialog, Json, plain, Secret, Table } from "./parts";

/** What the emulator says of itself. */
export interface Health extends Data {
  readonly now: string;
  /** That of keys which do not name one. */
  readonly environment: string;
  readonly needs_admin_key: boolean;
  readonly limits?: readonly Record<"requests" | "windowMs", number>[];
  readonly twin_of?: { readonly baseUrl: string };
}

/** The emulator's settings and its time. */
export const useHealth = () => useLive<Health>("/health", ["settings", "objects"]) ?? undefined;

/** The lines that a shell needs; without a key, where it goes. */
export function Lines({ health, value = "…" }: { health: Health | undefined; value?: unknown }) {
  const lines = [
    `export ERPHOST_BASE_URL=${location.origin}/v1`,
    `export ERPHOST_API_KEY=${String(value)}`,
    ...(health?.twin_of ? [`export ERPHOST_TWIN_OF=${health.twin_of.baseUrl}`] : []),
  ].join("\n");
  return (
    <>
      <Json label="Lines for a shell" value={lines} />
      <CopyButton text={lines} name="Lines to clipboard" />
    </>
  );
}

/** A button that asks for the fields of a key, then shows its secret this once. */
export function CreateKey() {
  const schema = useForms()?.key;
  const health = useHealth();
  const [made, setMade] = useState<Data>();
  return (
    <>
      {schema && health && (
        <FormButton
          {...{ name: "Create key", submit: "Create", tone: "main", schema, first: 4 }}
          value={{ permissions: ["admin"], environment: health.environment }}
          onSubmit={(value) => call("POST", "/keys", value).then(setMade)}
        />
      )}
      {made && <Made {...{ heading: "Key created", made, onClose: () => setMade(undefined) }} />}
    </>
  );
}

function Made(props: { heading: string; made: Data; onClose: () => void }) {
  const health = useHealth();
  const { heading, made, onClose } = props;
  return (
    <Dialog {...{ heading, onClose }}>
      <Secret value={made["value"]} />
      <p>Paste this into the shell that runs your program:</p>
      <Lines {...{ health, value: made["value"] }} />
    </Dialog>
  );
}

const linkOf = ({ id, name }: Data) => (
  <a href={`#/objects/api_key/${String(id)}`}>{String(name)}</a>
);

/** All keys, and the mails about those that the service rotates. */
export function Keys() {
  const [rotated, setRotated] = useState<Data>();
  const nowMs = Date.parse(useHealth()?.now ?? "");
  const { keys } = useLive<{ keys?: Data[] }>("/keys", ["objects", "secrets"]) ?? {};
  const { mails } = useLive<{ mails?: Data[] }>("/mails", ["mails"]) ?? {};
  const rotate = (id: unknown) => call("POST", `/keys/${String(id)}/rotate`).then(setRotated);
  const onClose = () => setRotated(undefined);
  const isOver = ({ expires_at: end }: Data) => Date.parse(String(end)) <= nowMs;
  const actionsOf = ({ id }: Data) => (
    <div class="row">
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
          {...{ caption: "API keys", rows: keys?.toReversed(), keyOf: ({ id }) => id }}
          columns={[
            ["Name", linkOf],
            ["ID", ({ id }) => String(id), { wide: true }],
            ["Permissions", (key) => plain(key["permissions"]), { wide: true }],
            ["Expires", ({ expires_at: end }) => plain(end, "_at"), { wide: true }],
            ["State", (key) => <Badge of={isOver(key) ? "expired" : "active"} />],
            ["Actions", actionsOf],
          ]}
        />
      </Card>
      <Card heading="Mails">
        <Table
          {...{ caption: "Mails", rows: mails?.toReversed(), keyOf: ({ at }) => at }}
          empty="None yet. A key that the service rotates by itself sends one, with its new secret."
          columns={[
            ["Sent", ({ at }) => plain(at, "_at")],
            ["To", ({ to }) => String(to), { wide: true }],
            ["Subject", ({ subject }) => String(subject)],
            ["New key", (mail) => <Json label="New key" value={mail["new_key"]} />],
          ]}
        />
      </Card>
      {rotated && <Made {...{ heading: "Key rotated", made: rotated, onClose }} />}
    </>
  );
}
