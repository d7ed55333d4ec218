/**
 * The types of models: what does not compile. The compiler checks this file; what runs is the rest.
 */
import { expect, it } from "vitest";
import { atomic, coupled, port, signal } from "./model.ts";
import { runDevs } from "./run-devs.ts";

type Job = { readonly id: number };

const machine = atomic({
  name: "machine",
  inputs: { job: port<Job>(), stop: signal() },
  outputs: { done: port<Job>(), load: port<number>() },
  initial: (): { current: Job | null; left: number } => ({
    current: null,
    left: Number.POSITIVE_INFINITY,
  }),
  timeAdvance: ({ left }) => left,
  output: ({ current }, send) => {
    if (current !== null) send("done", current);
    send("load", 0);
    // @ts-expect-error a port that is not declared
    const wrongPort = () => send("finished", current);
    // @ts-expect-error a value of another type
    const wrongValue = () => send("load", "none");
    // @ts-expect-error nothing
    const absent = () => send("load", undefined);
    void [wrongPort, wrongValue, absent];
  },
  internal: () => ({ current: null, left: Number.POSITIVE_INFINITY }),
  external: (state, input) => {
    const job: Job | undefined = input.get("job");
    if (job !== undefined) {
      state.current = job;
      state.left = 2;
    }
    // @ts-expect-error an input that is not declared
    const wrongInput = () => input.get("work");
    // @ts-expect-error what arrives is a job
    const wrongType = (): string | undefined => input.get("job");
    void [wrongInput, wrongType];
  },
});

it("[DE1] a model is typed by its ports and its state, and runs", () => {
  const model = coupled({
    inputs: { job: port<Job>() },
    outputs: { done: port<Job>() },
    components: { machine },
    couplings: ["job -> machine.job", "machine.done -> done"],
  });
  const { events } = runDevs(model, {
    stop: 5,
    inputs: [{ time: 1, port: "job", value: { id: 7 } }],
  });
  expect(events).toEqual([{ time: 3, index: 0, unit: "", port: "done", value: { id: 7 } }]);
});

it("[DE1] a state of another type does not compile", () => {
  const wrong = atomic({
    initial: 0,
    timeAdvance: (n) => n,
    // @ts-expect-error the state is a number
    internal: () => "one",
  });
  expect(wrong.kind).toBe("atomic");
});
