/**
 * How the time of the stress test is divided.
 */

/**
 * Whose turn it is: the class that has begun the smallest part of its cases. Whenever the time is
 * over, all of them have come about as far, however long their cases take.
 * @param classes each with `queue`, the cases that have not begun, and `total`, how many there were
 * @returns undefined when no case is left
 */
export function furthestBehind(classes) {
  let chosen;
  for (const each of classes) {
    if (each.queue.length === 0) continue;
    if (chosen === undefined || begun(each) < begun(chosen)) chosen = each;
  }
  return chosen;
}

function begun({ queue, total }) {
  return 1 - queue.length / total;
}
