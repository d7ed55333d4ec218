/**
 * Random systems of state machines and continuous units with all kinds of triggers, and a log of
 * what every unit shows.
 */
import type { Trigger } from "../../model/scenario.ts";
import { odeUnit } from "../../unit/ode-unit.ts";
import type { StateMachineModel } from "../../unit/state-machine-model.ts";
import { stateMachineUnit } from "../../unit/state-machine-unit.ts";
import { getNumber, indexOf } from "../../unit/testing/drive.ts";
import type { Unit } from "../../unit/unit.ts";
import type { Connector } from "../connector.ts";
import { WatchedUnit } from "../watched-unit.ts";
import { randomFrom } from "./simulated-network.ts";

export interface System {
  readonly units: readonly Unit[];
  readonly connectors: readonly Connector[];
}

/**
 * Ticks by itself, answers its event after a delay that may be zero, reads `u` with every tick, and
 * counts all of it.
 */
const machine = (name: string, period: number, answerAfter: number): Unit => {
  const model: StateMachineModel = {
    name,
    inputs: { u: {}, v: {}, ping: { type: "boolean", nature: "transient" } },
    outputs: { sum: {}, seen: { type: "int32" }, level: { type: "int32" } },
    events: ["tick", "answer"],
    initial: "waits",
    states: {
      waits: {
        transitions: [
          {
            on: "ping",
            do: (m) => m.set("seen", m.get("seen") + 1),
            to: "answers",
          },
          {
            after: period,
            reads: ["u"],
            do: (m) => {
              m.set("sum", m.get("sum") / 2 + m.get("u") + m.get("v"));
              m.set("level", Math.floor(m.get("sum")));
              m.emit("tick");
            },
            to: "waits",
          },
        ],
      },
      answers: { transitions: [{ after: answerAfter, do: (m) => m.emit("answer"), to: "waits" }] },
    },
  };
  return stateMachineUnit(model);
};

const flow = (name: string, rate: number): Unit =>
  new WatchedUnit(
    odeUnit({
      name,
      inputs: { u: { start: 1 }, v: {} },
      states: { x: { start: 0 } },
      derivatives: (t, [x = 0], [u = 0, v = 0], _p, out) => {
        out[0] = rate * (u + 0.1 * v - x) + Math.cos(3 * t);
      },
    }),
    { start: 0, step: 0.25, kinds: new Set(["threshold"]) },
  );

/** Up to six units, each input with at most one source, and whatever triggers fit their ports. */
export function randomSystem(seed: number): System {
  const random = randomFrom(seed);
  const among = <T>(list: readonly T[]): T => list[Math.floor(random() * list.length)] as T;
  const units = Array.from({ length: 2 + Math.floor(random() * 5) }, (_, u) =>
    random() < 0.6
      ? machine(`m${u}`, among([0.3, 0.5, 0.7, 1 / 3]), among([0, 0, 0.1, 0.25]))
      : flow(`f${u}`, among([0.5, 1, 2])),
  );
  const isMachine = (u: number): boolean => units[u]?.name.startsWith("m") === true;
  const connectors: Connector[] = [];
  const at = (unit: number, port: string) => ({ unit, port: indexOf(units[unit] as Unit, port) });
  const connect = (from: number, out: string, to: number, input: string, trigger: Trigger) => {
    const name = `${units[from]?.name}.${out} -> ${units[to]?.name}.${input}`;
    const tolerance = random() < 0.1 ? { tolerance: 0.05 } : {};
    connectors.push({ name, from: at(from, out), to: at(to, input), trigger, ...tolerance });
  };
  // Mostly from earlier units to later ones: units that decide instants for each other are one
  // peer.
  const other = (u: number): number =>
    u > 0 && random() < 0.8
      ? Math.floor(random() * u)
      : (u + 1 + Math.floor(random() * (units.length - 1))) % units.length;
  units.forEach((_, to) => {
    for (const input of isMachine(to) ? ["u", "v", "ping"] : ["u", "v"]) {
      if (random() < 0.3) continue;
      const from = other(to);
      if (input === "ping") {
        // Machines that answer each other at once would do so for ever.
        const isLater = from < to;
        if (isMachine(from))
          connect(from, isLater ? among(["tick", "answer"]) : "tick", to, input, { kind: "event" });
        continue;
      }
      const out = isMachine(from) ? "sum" : "x";
      const kinds: Trigger[] = [{ kind: "every", seconds: among([0.5, 0.25, 0.75]) }];
      if (isMachine(from)) kinds.push({ kind: "updated" });
      else
        kinds.push({
          kind: "threshold",
          port: { ...at(from, "x"), element: 0 },
          level: 0.4,
          direction: among(["rising", "falling"] as const),
        });
      if (isMachine(to) && input === "u") kinds.push({ kind: "ready-to-read" });
      connect(from, out, to, input, among(kinds));
    }
  });
  return { units, connectors };
}

/** What every unit showed at each index of each instant. */
export class Log {
  readonly shown: Map<string, string>[];
  private readonly units: readonly Unit[];
  constructor(units: readonly Unit[]) {
    this.units = units;
    this.shown = units.map(() => new Map());
  }
  readonly note = (u: number, time: number, index: number): void => {
    const unit = this.units[u] as Unit;
    const outputs = unit.description.ports.filter(({ direction }) => direction === "output");
    const values = outputs.map(({ name }) => getNumber(unit, name));
    this.shown[u]?.set(`${time} ${index}`, values.join(" "));
  };
  get lines(): string[][] {
    return this.shown.map((one) => [...one].map(([at, values]) => `${at}: ${values}`));
  }
}
