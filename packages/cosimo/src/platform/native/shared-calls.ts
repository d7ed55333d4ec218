/**
 * What both FMI versions offer under names of their own, so that the life cycle of a unit is written once.
 */

/** The names of functions that both versions have with the same arguments. */
export interface SharedCalls<Name> {
  readonly exitInitialization: Name;
  readonly terminate: Name;
  readonly reset: Name;
  readonly free: Name;
  readonly getState: Name;
  readonly setState: Name;
  readonly freeState: Name;
  readonly stateSize: Name;
  readonly serialize: Name;
  readonly deserialize: Name;
}
