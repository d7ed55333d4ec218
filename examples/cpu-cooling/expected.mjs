/**
 * `node examples/cpu-cooling/expected.mjs`: the expected traces, without Cosimo. The equations of the box are integrated from instant to instant
 * of a plain event loop: multiples of 5 s, the reads of the controller as its state says, and the instant at which the fan breaks.
 */
import { writeFileSync } from "node:fs";

/** Rows are written at multiples of this. */
const ROWS = 50;
const LONGEST = 0.05;

/** @param breaksAt when the fan of the processor breaks. */
function simulate(file, stop, breaksAt = Number.POSITIVE_INFINITY) {
  const plant = { T: 20, B: 20, speed: 0, isStopped: false, isBroken: false };

  function slopes(T, B) {
    const heat = plant.isStopped ? 0 : 100 / (30 * (1 + (T - 20) / 255));
    const inside = 0.06 + (plant.isBroken ? 0 : 0.02 * plant.speed);
    const outside = 1 / 130 + 0.0025 * plant.speed;
    return [(heat - inside * (T - B)) / 20, (inside * (T - B) - outside * (B - 20)) / 400];
  }

  function advance(seconds) {
    const count = Math.ceil(seconds / LONGEST);
    const h = seconds / count;
    for (let k = 0; k < count; k++) {
      const { T, B } = plant;
      const a = slopes(T, B);
      const b = slopes(T + (h / 2) * a[0], B + (h / 2) * a[1]);
      const c = slopes(T + (h / 2) * b[0], B + (h / 2) * b[1]);
      const d = slopes(T + h * c[0], B + h * c[1]);
      plant.T = T + (h / 6) * (a[0] + 2 * b[0] + 2 * c[0] + d[0]);
      plant.B = B + (h / 6) * (a[1] + 2 * b[1] + 2 * c[1] + d[1]);
    }
  }

  const hasFault = Number.isFinite(breaksAt);
  const rows = [];
  let [now, nextExchange, nextRead, isHot] = [0, 5, 5, false];
  const counts = { timed: 0, reads: 0, switches: 0 };
  const note = () => {
    if (now % ROWS !== 0) return;
    const faults = hasFault ? [plant.isBroken ? 0 : 1, plant.isBroken ? 1 : 0] : [];
    const stopped = plant.isStopped ? 1 : 0;
    rows.push([now, plant.T, plant.B, plant.speed, stopped, ...faults].join(","));
  };
  note();
  while (now < stop) {
    const breaks = plant.isBroken ? Number.POSITIVE_INFINITY : breaksAt;
    const next = Math.min(nextExchange, nextRead, breaks, stop);
    advance(next - now);
    now = next;
    const command = Math.min(10, Math.max(0, Math.round(5 * (plant.T - 65))));
    if (now === breaks) plant.isBroken = true;
    if (now === nextRead) {
      counts.reads++;
      const T = Math.floor(plant.T);
      if (isHot ? T <= 75 : T >= 85) {
        counts.switches++;
        isHot = !isHot;
        plant.isStopped = !plant.isStopped;
      }
      nextRead = now + (isHot ? 5 : 3);
    }
    if (now === nextExchange) {
      counts.timed++;
      plant.speed = command;
      nextExchange = now + 5;
    }
    note();
  }
  const faults = hasFault ? [`fault.fanIsBroken@0`, `fault.fanIsBroken@${breaksAt}`] : [];
  const ports = ["plant.cpuTemperature", "plant.boxTemperature", "fan.fanSpeedCommand"];
  const head = ["time", ...ports, "plant.isStopped", ...faults].join(",");
  writeFileSync(new URL(file, import.meta.url), `${[head, ...rows].join("\n")}\n`);
  console.log(file, counts);
}

simulate("expected.csv", 30_000);
simulate("expected-faulty.csv", 6000, 1900);
