/**
 * An electric motor: torque follows the demand with a lag, up to a greatest torque and, when it turns fast, a greatest power.
 * Braking turns it into a generator.
 */
import { odeUnit } from "cosimo/unit";

const RPM = 30 / Math.PI;

export default (name) =>
  odeUnit(
    {
      name: "motor",
      parameters: {
        lag: { start: 0.04, unit: "s" },
        inertia: { start: 0.05, unit: "kg.m2" },
        maxTorque: { start: 280, unit: "N.m" },
        maxPower: { start: 90_000, unit: "W" },
        resistance: { start: 0.12, unit: "W/(N2.m2)", description: "heat per torque squared" },
      },
      inputs: {
        demand: { unit: "N.m" },
        load: { unit: "N.m", description: "torque that the shaft takes" },
      },
      states: {
        torque: { unit: "N.m" },
        w: { unit: "rad/s", local: true },
      },
      outputs: {
        speed: { unit: "rpm", feedThrough: [] },
        available: { unit: "N.m", feedThrough: [] },
        power: { unit: "kW", feedThrough: [], description: "from the battery; negative: into it" },
      },
      derivatives: (_t, [torque, w], [demand, load], p, dx) => {
        const [lag, inertia] = p;
        const limit = available(w, p);
        dx[0] = (Math.min(Math.max(demand, -limit), limit) - torque) / lag;
        dx[1] = (torque - load) / inertia;
      },
      evaluate: (_t, [torque, w], _u, p, y) => {
        y[0] = w * RPM;
        y[1] = available(w, p);
        y[2] = (torque * w + p[4] * torque * torque) / 1000;
      },
    },
    name,
  );

const available = (w, [, , maxTorque, maxPower]) =>
  Math.min(maxTorque, maxPower / Math.max(Math.abs(w), 1));
