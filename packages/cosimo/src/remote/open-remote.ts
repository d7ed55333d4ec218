/**
 * From a transport to units: says what is to be opened, holds the answer against what is known, and
 * makes units of it. Whatever the peer claims, a unit has the ports that it was planned with, and
 * no capability that its description lacks.
 */
import type { UnitLost } from "../base/outcome.ts";
import type { Capabilities, UnitDescription } from "../model/unit-description.ts";
import { ByteWriter } from "../unit/bytes.ts";
import { FROM_UNIT, PHASES } from "./codes.ts";
import { Connection } from "./connection.ts";
import { takeFailure, takeNotes, takeOpened } from "./decode.ts";
import { putMessage } from "./encode.ts";
import { Nonsense, type Note, PROTOCOL_VERSION } from "./protocol.ts";
import { errorOf, RemoteUnit } from "./remote-unit.ts";
import { RestartingTransport } from "./restarting-transport.ts";
import type { Transport } from "./transport.ts";

export interface RemoteOrder {
  readonly name: string;
  /** What the peer is to open, in words of its own. */
  readonly order: string;
  /** As the scenario was planned with. */
  readonly description: UnitDescription;
  readonly onNotes?: (notes: readonly Note[]) => void;
  readonly onLateLoss?: (failure: UnitLost) => void;
}

/** A peer with its units. */
export class RemoteHost {
  private readonly connection: Connection;
  private readonly restarting: RestartingTransport | undefined;
  private readonly units: RemoteUnit[] = [];
  private isTakingBase = false;

  constructor(transport: Transport) {
    this.connection = new Connection(transport);
    this.restarting = transport instanceof RestartingTransport ? transport : undefined;
  }

  /** Its last unit was freed, or it was lost: another one is needed for further units. */
  get isOver(): boolean {
    return this.connection.isClosed;
  }

  /**
   * Where it is the only unit of the peer, the connection is closed when it cannot be opened.
   * @throws what opening throws there; PeerLost when nobody answers.
   */
  open(order: RemoteOrder): RemoteUnit {
    this.connection.join();
    try {
      return this.openUnit(order);
    } finally {
      // A unit that is there has joined by itself.
      this.connection.leave();
    }
  }

  private openUnit({ name, order, description, onNotes, onLateLoss }: RemoteOrder): RemoteUnit {
    const { connection, restarting } = this;
    const message = new ByteWriter();
    putMessage(message, { kind: "open", version: PROTOCOL_VERSION, order });
    const answer = connection.exchange({ name, decider: undefined }, message);
    const opened = connection.understand(() => {
      const kind = FROM_UNIT.name(answer.u8());
      if (kind === "opened") return takeOpened(answer);
      if (kind !== "failed") throw new Nonsense(`'${kind}' to an order`);
      PHASES.name(answer.u8());
      answer.f64();
      const failure = takeFailure(answer);
      const notes = takeNotes(answer);
      if (notes.length > 0) onNotes?.(notes);
      return errorOf(name, failure);
    });
    if (opened instanceof Error) throw opened;
    const capabilities = connection.understand(() => {
      if (opened.version !== PROTOCOL_VERSION)
        throw new Nonsense(`version ${opened.version} of the protocol`);
      if (opened.unit !== this.units.length) throw new Nonsense(`the number ${opened.unit}`);
      if (opened.ports !== description.ports.length)
        throw new Nonsense(`a unit with ${opened.ports} ports, not ${description.ports.length}`);
      return agreed(description.capabilities, opened.capabilities);
    });
    if (opened.notes.length > 0) onNotes?.(opened.notes);
    const unit = new RemoteUnit(
      connection,
      {
        name,
        index: opened.unit,
        description: { ...description, capabilities },
        offers: opened.offers,
        ...(onNotes && { onNotes }),
        ...(onLateLoss && { onLateLoss }),
        ...(restarting && {
          onAdvance: () => restarting.endBeginning(),
          onRest: () => this.takeBase(restarting),
        }),
      },
      opened.phase,
    );
    this.units.push(unit);
    return unit;
  }

  private takeBase(restarting: RestartingTransport): void {
    if (!restarting.isBaseDue || this.connection.isBusy || this.isTakingBase) return;
    if (!this.units.every(({ isAtRest, canGiveBase }) => isAtRest && canGiveBase)) return;
    this.isTakingBase = true;
    try {
      restarting.setBase(this.units.flatMap((unit) => unit.takeBase()));
    } finally {
      this.isTakingBase = false;
    }
  }
}

/**
 * What both say that the unit can do. What is not an ability but a fact comes from the peer, whose
 * unit it is.
 */
function agreed(known: Capabilities, claimed: Capabilities): Capabilities {
  return {
    ...claimed,
    outputDerivativeOrder: Math.min(claimed.outputDerivativeOrder, known.outputDerivativeOrder),
    inputDerivativeOrder: Math.min(claimed.inputDerivativeOrder, known.inputDerivativeOrder),
    variableStep: claimed.variableStep && known.variableStep,
    earlyReturn: claimed.earlyReturn && known.earlyReturn,
    intermediateUpdate: claimed.intermediateUpdate && known.intermediateUpdate,
    ...(claimed.zeroStep !== undefined && {
      zeroStep: claimed.zeroStep && known.zeroStep === true,
    }),
    rollback: claimed.rollback && known.rollback,
    serialize: claimed.serialize && known.serialize,
    directionalDerivatives: claimed.directionalDerivatives && known.directionalDerivatives,
    adjointDerivatives: claimed.adjointDerivatives && known.adjointDerivatives,
    eventMode: claimed.eventMode && known.eventMode,
    predicates: claimed.predicates.filter((kind) => known.predicates.includes(kind)),
  };
}
