/**
 * Which writes are events: models take discrete inputs and tunable parameters in event mode only,
 * and callers without events write all inputs before every step, changed or not.
 */
import { type Port, portSize } from "../model/unit-description.ts";
import { type Banks, bankOf, makeBanks } from "../model/value-type.ts";
import { isSameValue } from "../unit/banks.ts";
import type { Access, PortSlot } from "../unit/unit.ts";
import type { EventOde } from "./event-ode.ts";

interface Known {
  readonly access: Access;
  readonly banks: Banks;
  /** The other ports of the access. */
  readonly others: Access;
  readonly places: readonly { readonly port: Port; readonly slot: number; readonly own: number }[];
}

export function isDiscreteInput({ direction, variability, type }: Port): boolean {
  if (type === "clock") return false;
  if (direction === "input") return variability !== "continuous";
  return direction === "parameter" && variability === "tunable";
}

export class DiscreteWrites {
  private readonly model: EventOde;
  private readonly known = new WeakMap<Access, Known>();

  constructor(model: EventOde) {
    this.model = model;
  }

  /** Whether one of the ports of `access` is discrete and would get another value. */
  isChange(access: Access, banks: Banks): boolean {
    const { access: own, banks: present, places } = this.knownOf(access);
    if (places.length === 0) return false;
    this.model.read(own, present);
    return places.some(({ port, slot, own: at }) => {
      const bank = bankOf(port.type);
      for (let i = 0; i < portSize(port); i++)
        if (!isSameValue(present[bank][at + i], banks[bank][slot + i])) return true;
      return false;
    });
  }

  /** The ports of `access` that are not discrete; the access itself where all are. */
  continuousPart(access: Access): Access {
    const { places, others } = this.knownOf(access);
    return places.length === 0 ? access : others;
  }

  private knownOf(access: Access): Known {
    let known = this.known.get(access);
    if (known === undefined) {
      known = this.know(access.slots);
      this.known.set(access, known);
    }
    return known;
  }

  private know(slots: readonly PortSlot[]): Known {
    const { ports } = this.model.description;
    const sizes = { f64: 0, i64: 0, obj: 0 };
    const places = slots
      .filter(({ port }) => isDiscreteInput(ports[port]))
      .map(({ port: index, slot }) => {
        const port = ports[index];
        const bank = bankOf(port.type);
        const own = sizes[bank];
        sizes[bank] += portSize(port);
        return { port, slot, own };
      });
    return {
      access: this.model.bind(places.map(({ port, own }) => ({ port: port.index, slot: own }))),
      banks: makeBanks(sizes),
      others: this.model.bind(slots.filter(({ port }) => !isDiscreteInput(ports[port]))),
      places,
    };
  }
}
