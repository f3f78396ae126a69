/** Endpoints of webhooks, and what became of each message for them. */
import { useState } from "preact/hooks";
import { FormButton } from "./form";
import { call, SHOWN_MAX, useLive, type Data } from "./live";
import { useForms } from "./objects";
import { Action, Badge, Card, Facts, NewSecret, plain, Table } from "./parts";

const stateOf = ({ disabled }: Data) => <Badge of={disabled ? "disabled" : "active"} />;

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
          rows={webhooks}
          empty="None yet. Add the address where your program, or erphost listen, receives."
          columns={[
            ["Address", ({ url }) => <code>{String(url)}</code>],
            ["Events", ({ events }) => plain(events ?? "every event"), { wide: true }],
            ["State", stateOf, { wide: true }],
            ["Actions", (of) => <Actions of={of} />],
          ]}
        />
      </Card>
      <Deliveries selected={selected} />
      <NewSecret heading="New endpoint" value={secret} onClose={() => setSecret(undefined)}>
        Your program verifies messages with it.
      </NewSecret>
    </>
  );
}

function Actions({ of: endpoint }: { of: Data }) {
  const events = useForms()?.events ?? [];
  const path = `/webhooks/${String(endpoint["id"])}`;
  return (
    <div class="hstack">
      <FormButton
        {...{ name: "Send test event", submit: "Send", value: { event: events[0] } }}
        schema={{ properties: { event: { enum: events } }, required: ["event"] }}
        onSubmit={(value) => call("POST", `${path}/test`, value)}
      />
      {endpoint["disabled"] === true && (
        <Action name="Enable" run={() => call("POST", `${path}/enable`)} />
      )}
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
      {delivery && (
        <Card isDetail key={selected} {...{ heading: String(delivery["event"]), actions }}>
          <Facts of={delivery} />
        </Card>
      )}
      <Card heading="Deliveries">
        <Table
          {...{ rows: deliveries?.toReversed(), selected, empty: "None yet." }}
          columns={[
            ["Event", linkOf],
            ["State", ({ state }) => <Badge of={state} />],
            ["Attempts", ({ attempts }) => String(attempts)],
            ["Last answer", answerOf, { wide: true }],
          ]}
        />
      </Card>
    </div>
  );
}
