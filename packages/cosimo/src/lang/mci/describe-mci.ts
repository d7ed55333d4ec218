/**
 * The interface of a unit, as far as its description tells: `cosimo mci model.fmu`. What a
 * description cannot tell (that an output is piecewise constant in fact, that an input is read at
 * certain instants) is for the author to add.
 */
import type { Place } from "../../base/diagnostic.ts";
import type { Nature, Port, UnitDescription } from "../../model/unit-description.ts";
import {
  type InterfacePort,
  type IoEvent,
  type IoEventKind,
  interfaceType,
  type UnitInterface,
} from "../../model/unit-interface.ts";

const NOWHERE: Place = { file: "" };

/** @param path of the unit, relative to the folder of the interface. */
export function interfaceOf(description: UnitDescription, path: string): UnitInterface {
  const { rollback } = description.capabilities;
  const isFmu = /\.fmu$/i.test(path);
  return {
    name: description.name,
    source: { keyword: isFmu ? "FMUPath" : "SUPath", path, place: NOWHERE },
    ports: description.ports
      .filter(({ direction }) => direction === "input" || direction === "output")
      .map((port) => interfacePortOf(port, description)),
    references: [{ name: "t", kind: "time", place: NOWHERE }],
    properties: rollback ? [{ name: "rollback", value: true, place: NOWHERE }] : [],
    place: NOWHERE,
  };
}

export function interfacePortOf(port: Port, description: UnitDescription): InterfacePort {
  const { name, direction, type, shape, start, reactive } = port;
  const nature = natureOf(port, description);
  const initial = direction === "input" && type !== "clock" ? start : undefined;
  return {
    name,
    direction: direction === "input" ? "input" : "output",
    nature,
    type: interfaceType(type),
    shape,
    ...(initial !== undefined && { initial: initialText(port, initial) }),
    events: eventsOf(direction, nature, description),
    ...(direction === "input" &&
      reactive !== undefined &&
      /continuous$/.test(nature) && { use: reactive ? "interpolation" : "extrapolation" }),
    place: NOWHERE,
  };
}

/**
 * A unit that reports its reads uses an input at these instants alone: it is piecewise constant.
 */
function natureOf({ direction, nature }: Port, { capabilities }: UnitDescription): Nature {
  const isRead = direction === "input" && capabilities.predicates.includes("ready-to-read");
  return isRead && nature !== "transient" ? "piecewise-constant" : nature;
}

function initialText({ items }: Port, start: NonNullable<Port["start"]>): string {
  return start
    .map((one) => {
      if (one instanceof Uint8Array)
        return [...one].map((byte) => byte.toString(16).padStart(2, "0")).join("");
      return items?.get(Number(one)) ?? String(one);
    })
    .join(", ");
}

/** What the unit reports of ports with this direction and nature. */
function eventsOf(
  direction: Port["direction"],
  nature: Nature,
  { capabilities }: UnitDescription,
): IoEvent[] {
  const { predicates } = capabilities;
  const found: IoEventKind[] = [];
  if (nature === "piecewise-constant" && direction === "output" && predicates.includes("updated"))
    found.push("Updated");
  if (
    nature === "piecewise-constant" &&
    direction === "input" &&
    predicates.includes("ready-to-read")
  )
    found.push("ReadyToRead");
  if (nature === "transient" && direction === "output" && predicates.includes("event"))
    found.push("Triggered");
  return found.map((kind) => ({ kind, place: NOWHERE }));
}
