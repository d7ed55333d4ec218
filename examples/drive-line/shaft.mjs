/**
 * Gear and side shafts: a gear without losses, then a torsional spring and damper. The damper's torque follows both speeds at
 * once: the outputs feed the inputs through.
 */
import { odeUnit } from "cosimo/unit";

export default (name) =>
  odeUnit(
    {
      name: "shaft",
      parameters: {
        ratio: { start: 9, unit: "1" },
        stiffness: { start: 6000, unit: "N.m/rad" },
        damping: { start: 60, unit: "N.m.s/rad" },
      },
      inputs: {
        motorSpeed: { unit: "rad/s" },
        wheelSpeed: { unit: "rad/s" },
      },
      states: { twist: { unit: "rad" } },
      outputs: {
        motorTorque: { unit: "N.m", feedThrough: ["motorSpeed", "wheelSpeed"] },
        wheelTorque: { unit: "N.m", feedThrough: ["motorSpeed", "wheelSpeed"] },
      },
      derivatives: (_t, _x, [motorSpeed, wheelSpeed], [ratio], dx) => {
        dx[0] = motorSpeed / ratio - wheelSpeed;
      },
      evaluate: (_t, [twist], [motorSpeed, wheelSpeed], [ratio, stiffness, damping], y) => {
        y[1] = stiffness * twist + damping * (motorSpeed / ratio - wheelSpeed);
        y[0] = y[1] / ratio;
      },
    },
    name,
  );
