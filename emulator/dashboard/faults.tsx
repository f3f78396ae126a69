/** Faults: what goes wrong, for which requests, and how often it has. */
import { FormButton } from "./form";
import { call, useLive, type Data } from "./live";
import { useForms } from "./objects";
import { Action, Card, Table } from "./parts";

type Fault = Data & Readonly<Record<"match" | "effect", Data>>;
type State = Data &
  Readonly<Record<"matched" | "struck", number>> & {
    readonly fault: Fault;
    readonly problem?: string;
  };

const turnsOf = ({ match: _, effect: __, ...turns }: Data): string =>
  Object.entries(turns)
    .map(([name, value]) => `${name} ${String(value)}`)
    .join(", ");

/** All faults, which are replaced together. */
export function Faults() {
  const forms = useForms();
  const { faults } = useLive<{ faults?: State[] }>("/faults", ["faults", "requests"]) ?? {};
  const present: readonly Data[] = faults?.map(({ fault }) => fault) ?? [];
  const set = (next: readonly Data[]) => call("PUT", "/faults?counts=kept", next);
  const actions = forms && (
    <>
      <FormButton
        {...{ name: "Add fault", submit: "Add", tone: "main" }}
        schema={{ ...forms.fault, required: ["effect"] }}
        value={{ effect: { type: "status", status: 503 } }}
        onSubmit={(fault) => set([...present, fault])}
      />
      <Action name="Clear" run={() => call("DELETE", "/faults")} />
    </>
  );
  const matchOf = ({ fault: { match } }: State) =>
    `${String(match["method"] ?? "any")} ${String(match["path"] ?? "/**")}`;
  return (
    <Card heading="Faults" actions={actions}>
      <Table
        rows={faults?.map((state, seq) => ({ ...state, seq }))}
        empty="None: the service works. Add one to see what your program does when it does not."
        columns={[
          ["Requests", (state) => <code>{matchOf(state)}</code>],
          ["Effect", ({ fault }) => <code>{String(fault.effect["type"])}</code>],
          ["Which", ({ fault }) => turnsOf(fault), { wide: true }],
          ["Struck", ({ struck, matched, problem }) => problem ?? `${struck} of ${matched}`],
          [
            "Actions",
            ({ seq }) => <Action name="Remove" run={() => set(present.toSpliced(seq, 1))} />,
          ],
        ]}
      />
    </Card>
  );
}
