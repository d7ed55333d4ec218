/**
 * How the time of the stress test is divided.
 */

/**
 * What the first of the classes that are left gets of the milliseconds that are left. What a class
 * did not need goes to those behind it, and what it took beyond its time is taken from all of them,
 * not from the last.
 * @param shares of these classes, in their order
 */
export function partOf(left, shares) {
  const sum = shares.reduce((all, share) => all + share, 0);
  return sum > 0 ? (Math.max(0, left) * shares[0]) / sum : 0;
}
