/**
 * What is asked of the car and what the road does, over time. Rows between which the values change are joined by straight lines.
 */
import { tableUnit } from "cosimo/unit";

// biome-ignore format: a table reads best in columns
const ROWS = [
  // s    km/h    % (metres up every hundred metres)
  [  0,     0,    0],
  [  2,     0,    0],
  [  8,    50,    0],
  [ 18,    50,    0],
  [ 26,   110,    0],
  [ 38,   110,    0],
  [ 40,   110,    6],
  [ 52,   110,    6],
  [ 54,   110,    0],
  [ 58,   110,    0],
  [ 70,    30,    0],
  [ 75,    30,    0],
  [ 80,     0,    0],
  [ 90,     0,    0],
];

const column = (c) => Float64Array.from(ROWS, (row) => row[c]);

export default (name) =>
  tableUnit(
    {
      name: "driver",
      time: column(0),
      outputs: {
        target: { unit: "km/h", description: "speed the driver wants", values: column(1) },
        slope: { unit: "%", description: "slope of the road", values: column(2) },
      },
    },
    name,
  );
