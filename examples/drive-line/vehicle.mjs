/**
 * The car on the road: mass, wheels that roll without slip, rolling resistance, air drag, hills.
 */
import { odeUnit } from "cosimo/unit";

const GRAVITY = 9.80665;
const AIR_DENSITY = 1.2;

export default (name) =>
  odeUnit(
    {
      name: "vehicle",
      parameters: {
        mass: { start: 1600, unit: "kg" },
        radius: { start: 0.3, unit: "m" },
        rolling: { start: 0.01, unit: "1", description: "rolling resistance per weight" },
        dragArea: { start: 0.65, unit: "m2", description: "drag coefficient times frontal area" },
      },
      inputs: {
        torque: { unit: "N.m" },
        slope: { unit: "1" },
      },
      states: {
        v: { unit: "m/s", local: true },
        distance: { unit: "m" },
      },
      outputs: {
        speed: { unit: "km/h", feedThrough: [] },
        wheelSpeed: { unit: "rad/s", feedThrough: [] },
      },
      derivatives: (_t, [v], [torque, slope], [mass, radius, rolling, dragArea], dx) => {
        const angle = Math.atan(slope);
        const weight = mass * GRAVITY;
        // Rolling resistance fades out below walking pace, so that the car can stand still.
        const resistance =
          rolling * weight * Math.cos(angle) * Math.tanh(v / 0.2) +
          (AIR_DENSITY / 2) * dragArea * v * Math.abs(v);
        dx[0] = (torque / radius - resistance - weight * Math.sin(angle)) / mass;
        dx[1] = v;
      },
      evaluate: (_t, [v], _u, [, radius], y) => {
        y[0] = v * 3.6;
        y[1] = v / radius;
      },
    },
    name,
  );
