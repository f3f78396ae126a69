/** The emulator's clock: what it says, how fast it runs, and where it jumps to. */
import { useEffect, useState } from "preact/hooks";
import { Form } from "./form";
import { call, useLive } from "./live";
import { useForms } from "./objects";
import { Card, Time } from "./parts";

/** Time, as it runs, and what moves it. */
export function Clock() {
  const reading = useLive<{ now: string; rate: number }>("/clock", ["settings"]);
  const forms = useForms();
  const [elapsedMs, setElapsedMs] = useState(0);
  useEffect(() => {
    const since = performance.now();
    const timer = setInterval(() => setElapsedMs(performance.now() - since), 250);
    return () => clearInterval(timer);
  }, [reading]);
  const { now, rate } = reading ?? { now: 0, rate: 1 };
  const at = new Date(new Date(now).getTime() + elapsedMs * rate).toISOString();
  const onSubmit = (body: object) => call("PUT", "/clock", body);
  return (
    <Card heading={reading && <Time at={at} />}>
      <p>{rate === 0 ? "It stands still." : `${rate} × real time`}</p>
      <p class="text-light">Keys, objects and webhooks go by it; rate limits go by real time.</p>
      {forms && <Form {...{ schema: forms.clock, submit: "Set", onSubmit }} />}
    </Card>
  );
}
