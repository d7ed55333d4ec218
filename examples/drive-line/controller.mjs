/**
 * A cruise controller as it runs in a control unit: PI, computed every 10 ms and held in between.
 *
 * Euler's method with the step of the controller is the difference equation that such a program executes. The motor says
 * how much torque it has; what the controller asks beyond that is fed back, so the integral does not wind up.
 */
import { EULER, odeUnit } from "cosimo/unit";

export default (name) =>
  odeUnit(
    {
      name: "controller",
      parameters: {
        kp: { start: 400, unit: "N.s", description: "torque per speed error" },
        ki: { start: 100, unit: "N", description: "torque per second and speed error" },
        windup: {
          start: 4,
          unit: "1/s",
          description: "how fast the integral forgets what cannot be had",
        },
      },
      inputs: {
        target: { unit: "m/s" },
        speed: { unit: "m/s" },
        available: {
          unit: "N.m",
          start: 280,
          description: "torque that the motor has, either way",
        },
      },
      states: { integral: { unit: "N.m", local: true } },
      outputs: {
        demand: {
          unit: "N.m",
          variability: "discrete",
          feedThrough: ["target", "speed", "available"],
        },
      },
      derivatives: (_t, [integral], [target, speed, available], [kp, ki, windup], dx) => {
        const wanted = kp * (target - speed) + integral;
        dx[0] = ki * (target - speed) + windup * (within(wanted, available) - wanted);
      },
      evaluate: (_t, [integral], [target, speed, available], [kp], y) => {
        y[0] = within(kp * (target - speed) + integral, available);
      },
      solver: { method: EULER, step: 0.01 },
    },
    name,
  );

const within = (value, limit) => Math.min(Math.max(value, -limit), limit);
