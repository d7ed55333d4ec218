/**
 * What the fixture Misbehaving can be asked to do; the numbers are those of its type Behaviour.
 */
export const Behaviour = {
  ok: 0,
  warn: 1,
  discard: 2,
  error: 3,
  fatal: 4,
  hang: 5,
  segfault: 6,
  leak: 7,
  lieAboutState: 8,
  printToStdout: 9,
  logFromThread: 10,
  bigStack: 11,
  earlyReturn: 12,
  terminate: 13,
} as const;
