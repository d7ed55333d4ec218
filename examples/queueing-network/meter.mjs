/** Adds up how long jobs have waited: the integral of the number that wait. A continuous unit beside the discrete-event one. */
import { linearUnit } from "cosimo/unit";

export default (name) =>
  linearUnit(
    {
      name: "meter",
      inputs: { waiting: {} },
      states: {
        waited: {
          start: 0,
          unit: "s",
          description: "the time that all jobs have waited, together",
        },
      },
      a: [[0]],
      b: [[1]],
    },
    name,
  );
