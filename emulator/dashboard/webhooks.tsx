/** Endpoints of webhooks, and what became of each message for them. */
import { useState } from "preact/hooks";
import { FormButton } from "./form";
import { call, SHOWN_MAX, useLive, type Data } from "./live";
import { useForms } from "./objects";
import { Action, Badge, Card, Dialog, Facts, plain, Secret, Table } from "./parts";

/** Endpoints above, messages below. */
export function Webhooks({ route: [selected] }: { route: readonly string[] }) {
  const forms = useForms();
  const [secret, setSecret] = useState<unknown>();
  const { webhooks } = useLive<{ webhooks?: Data[] }>("/webhooks", ["endpoints"]) ?? {};
  const add = (value: Data) =>
    call("POST", "/webhooks", value).then((made) => setSecret(made["secret"]));
  const button = (
    <FormButton
      {...{ name: "Add endpoint", submit: "Add", tone: "main", onSubmit: add }}
      schema={forms?.webhook}
    />
  );
  return (
    <>
      <Card heading="Endpoints" actions={forms && button}>
        <Table
          {...{ caption: "Endpoints", rows: webhooks, keyOf: ({ id }) => id }}
          empty="None yet. Add the address where your program, or erphost listen, receives."
          columns={[
            ["Address", ({ url }) => <code>{String(url)}</code>],
            ["Events", ({ events }) => plain(events ?? "every event"), { wide: true }],
            ["State", ({ disabled }) => <Badge of={disabled ? "disabled" : "active"} />],
            ["Actions", (of) => <Actions {...{ of, setSecret }} />],
          ]}
        />
      </Card>
      <Deliveries selected={selected} />
      {secret !== undefined && (
        <Dialog heading="Secret of the endpoint" onClose={() => setSecret(undefined)}>
          <p>Your program verifies messages with it.</p>
          <Secret value={secret} />
        </Dialog>
      )}
    </>
  );
}

type OnSecret = (secret: unknown) => void;

function Actions({ of: endpoint, setSecret }: { of: Data; setSecret: OnSecret }) {
  const events = useForms()?.events ?? [];
  const path = `/webhooks/${String(endpoint["id"])}`;
  const rotate = () =>
    call("POST", `${path}/rotate-secret`).then((made) => setSecret(made["secret"]));
  return (
    <div class="row">
      <FormButton
        {...{ name: "Send test event", submit: "Send", value: { event: events[0] } }}
        schema={{ properties: { event: { enum: events } }, required: ["event"] }}
        onSubmit={(value) => call("POST", `${path}/test`, value)}
      />
      {endpoint["disabled"] === true && (
        <Action name="Enable" run={() => call("POST", `${path}/enable`)} />
      )}
      <Action name="Rotate secret" run={rotate} />
      <FormButton
        {...{ name: "Remove", submit: "Remove", tone: "danger" }}
        ask="Messages that it has not received yet are dropped."
        onSubmit={() => call("DELETE", path)}
      />
    </div>
  );
}

const linkOf = ({ seq, event }: Data) => <a href={`#/webhooks/${String(seq)}`}>{String(event)}</a>;
const answerOf = (each: Data) => plain(each["last_status"] ?? each["last_problem"]);

function Deliveries({ selected }: { selected: string | undefined }) {
  const path = `/webhooks/deliveries?limit=${SHOWN_MAX}`;
  const { deliveries } = useLive<{ deliveries?: Data[] }>(path, ["deliveries"]) ?? {};
  const delivery = deliveries?.find(({ seq }) => String(seq) === selected);
  const redeliver = () => call("POST", `/webhooks/deliveries/${selected}/redeliver`);
  const actions = <Action name="Redeliver" run={redeliver} />;
  return (
    <div class="split">
      <Card heading="Deliveries">
        <Table
          {...{ rows: deliveries?.toReversed(), keyOf: ({ seq }) => seq, selected }}
          {...{ caption: "Messages, the newest first", empty: "None yet." }}
          columns={[
            ["Event", linkOf],
            ["State", ({ state }) => <Badge of={state} />],
            ["Attempts", ({ attempts }) => String(attempts)],
            ["Last answer", answerOf, { wide: true }],
          ]}
        />
      </Card>
      {delivery && (
        <Card key={selected} {...{ heading: String(delivery["event"]), actions }}>
          <Facts of={delivery} />
        </Card>
      )}
    </div>
  );
}
