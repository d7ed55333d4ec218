/**
 * What the engine throws to end a run in a way that it understands. It passes through units that
 * contain others untouched, and becomes an outcome where the run began.
 */
export abstract class EngineError extends Error {}
