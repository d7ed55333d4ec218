/**
 * A workshop: jobs arrive at random at a reception, go on in turn to one of two machines, and leave. All of it from the library; the couplings are
 * what is particular.
 */
import { coupled, devsUnit, port, queue, randomSource, router, server, sink } from "cosimo/devs";

const workshop = coupled({
  name: "workshop",
  outputs: {
    waiting: port({ type: "float64", held: true, description: "jobs that wait at the reception" }),
    finished: port({ type: "int32", description: "jobs that have left" }),
  },
  components: {
    jobs: randomSource({ mean: 1, seed: 1 }),
    line: queue(),
    reception: server({ service: { mean: 0.7, seed: 2 } }),
    fork: router({ ways: 2, route: "in-turn" }),
    lineA: queue(),
    machineA: server({ service: 1.5 }),
    lineB: queue(),
    machineB: server({ service: { mean: 1.2, seed: 3 } }),
    exit: sink(),
  },
  couplings: [
    "jobs.out -> line.in",
    "line.out -> reception.in",
    "reception.done -> line.done",
    "line.length -> waiting",
    "reception.out -> fork.in",
    "fork.out0 -> lineA.in",
    "lineA.out -> machineA.in",
    "machineA.done -> lineA.done",
    "fork.out1 -> lineB.in",
    "lineB.out -> machineB.in",
    "machineB.done -> lineB.done",
    "machineA.out -> exit.in",
    "machineB.out -> exit.in",
    "exit.count -> finished",
  ],
});

export default (name) => devsUnit(workshop, { name });
