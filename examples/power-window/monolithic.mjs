/**
 * The power window as one model: motor, window and obstacle in one set of equations, with what driver and controller do to it. The
 * reference for all coupled runs: nothing is exchanged, nothing is late.
 *
 * An ODE unit at a tolerance of 1e-10 that stops itself at its events: contact with the obstacle (where the equations have a
 * kink), the current that crosses 5 A, and the times at which it is switched. What the events change are inputs that nobody else
 * feeds, so a saved state holds them too.
 */
import { DORMAND_PRINCE, makeBanks, odeUnit } from "cosimo/unit";

const [POSITION, THRESHOLD, PRESSED, RETRACT] = [0.45, 5, 0.5, 1];
const [DOWN, NEUTRAL, UP] = [-1, 0, 1];

/** L i' = drive V - R i - K ω,   J ω' = K i - b ω - r (force + b_window ω),   θ' = ω. */
const model = {
  name: "power window",
  parameters: {
    J: { start: 0.085, unit: "kg.m2" },
    b: { start: 5, unit: "N.m.s" },
    K: { start: 7.45, unit: "N.m/A" },
    R: { start: 0.15, unit: "Ohm" },
    L: { start: 0.036, unit: "H" },
    V: { start: 12, unit: "V" },
    r: { start: 0.11, unit: "m", description: "radius of the drum" },
    b_window: { start: 10, unit: "N.s/rad", description: "friction of the glass" },
    stiffness: { start: 1e5, unit: "N/m", description: "of the obstacle" },
  },
  inputs: {
    drive: { start: NEUTRAL, description: "1: up, -1: down" },
    ends: { start: PRESSED, unit: "s", description: "when this changes by itself" },
  },
  states: {
    i: { unit: "A" },
    omega: { unit: "rad/s" },
    theta: { unit: "rad" },
  },
  outputs: {
    height: { unit: "m", feedThrough: [] },
    force: { unit: "N", feedThrough: [] },
  },
  derivatives: (_t, [i, omega, theta], [drive], p, dx) => {
    const [J, b, K, R, L, V, r, bWindow, stiffness] = p;
    const force = stiffness * Math.max(r * theta - POSITION, 0);
    dx[0] = (drive * V - R * i - K * omega) / L;
    dx[1] = (K * i - b * omega - r * (force + bWindow * omega)) / J;
    dx[2] = omega;
  },
  evaluate: (_t, [, , theta], _u, p, y) => {
    const [r, stiffness] = [p[6], p[8]];
    y[0] = r * theta;
    y[1] = stiffness * Math.max(y[0] - POSITION, 0);
  },
  solver: { method: DORMAND_PRINCE, relativeTolerance: 1e-10, absoluteTolerance: 1e-12 },
};

export default (name) => {
  const unit = odeUnit(model, name);
  const { ports } = unit.description;
  const portOf = (wanted) => ports.find((port) => port.name === wanted).index;
  const current = portOf("i");
  const events = [
    { kind: "threshold", port: current, value: THRESHOLD, direction: "rising" },
    { kind: "threshold", port: portOf("height"), value: POSITION, direction: "any" },
  ];
  const mode = unit.bind([
    { port: portOf("drive"), slot: 0 },
    { port: portOf("ends"), slot: 1 },
  ]);
  const banks = makeBanks({ f64: 2 });
  const enter = (drive, ends) => {
    banks.f64.set([drive, ends]);
    unit.write(mode, banks);
  };
  const advancePlainly = unit.advance.bind(unit);

  const advance = (from, until) => {
    if (until.kind !== "time") throw new Error("it watches for its own events, and for no others");
    const { time } = until;
    for (let at = from; ; ) {
      unit.read(mode, banks);
      const [drive, ends] = banks.f64;
      const bound = { kind: "time", time: Math.min(time, ends) };
      const stop = advancePlainly(at, { kind: "or", any: [bound, ...events] });
      at = stop.time;
      if (stop.port === current && drive === UP) enter(DOWN, at + RETRACT);
      else if (at === ends) enter(drive === NEUTRAL ? UP : NEUTRAL, Number.POSITIVE_INFINITY);
      if (at === time) return { reason: "time", port: -1, time };
    }
  };
  return Object.assign(unit, { advance });
};
