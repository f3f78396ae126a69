/** The emulator's clock: what it says, how fast it runs, and where it jumps to. */
import { useEffect, useState } from "preact/hooks";
import { Form } from "./form";
import { call, useLive } from "./live";
import { useForms } from "./objects";
import { Action, Card, Time } from "./parts";

const JUMPS = ["1h", "1d", "7d", "30d", "90d"];
const TICK_MS = 250;

/** Reads the clock when it changes, and lets it run on meanwhile. */
function useNow(): { now: string; rate: number } | undefined {
  const reading = useLive<{ now: string; rate: number }>("/clock", ["settings"]);
  const [elapsedMs, setElapsedMs] = useState(0);
  useEffect(() => {
    const since = performance.now();
    const timer = setInterval(() => setElapsedMs(performance.now() - since), TICK_MS);
    return () => clearInterval(timer);
  }, [reading]);
  if (!reading) return undefined;
  const nowMs = Date.parse(reading.now) + elapsedMs * reading.rate;
  return { ...reading, now: new Date(nowMs).toISOString() };
}

/** Time, and what moves it. */
export function Clock() {
  const reading = useNow();
  const forms = useForms();
  const change = (body: object) => call("PUT", "/clock", body);
  return (
    <>
      <Card heading="Time">
        <p class="clock">{reading && <Time at={reading.now} />}</p>
        <p>{reading?.rate === 0 ? "It stands still." : `${reading?.rate ?? 1} × real time`}</p>
        <div class="row">
          {JUMPS.map((advance) => (
            <Action key={advance} name={`+ ${advance}`} run={() => change({ advance })} />
          ))}
        </div>
        <p class="hint">
          Keys expire and rotate, objects become ready and webhooks are repeated by this clock. Rate
          limits are in real time.
        </p>
      </Card>
      <Card heading="Set the clock">
        {forms && <Form {...{ schema: forms.clock, submit: "Set", onSubmit: change }} />}
      </Card>
    </>
  );
}
