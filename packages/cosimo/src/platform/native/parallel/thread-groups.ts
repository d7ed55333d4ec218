/**
 * Who runs on which thread. Clusters go to threads by their measured cost, the longest first, each
 * to the thread that has least to do; and only if what is saved is worth the meeting of the threads
 * at the end of every step.
 */

/**
 * Seconds that a thread more costs in every step: a meeting of spinning threads takes a tenth of
 * it.
 */
const MEETING_SECONDS = 1e-6;
/** Seconds a step that must be saved. */
const GAIN_SECONDS = 2e-6;

export interface ThreadGroups {
  /** Units by thread; the first thread is the one that resolves the signals. */
  readonly groups: readonly (readonly number[])[];
  /** Why there are no more threads, in words for people. */
  readonly why: string;
}

export interface ClusterCost {
  readonly units: readonly number[];
  /** Seconds in an average tick. */
  readonly seconds: number;
  /** Must run on the first thread. */
  readonly isPinned: boolean;
}

/** @param threads at most; `limit` says where that number comes from. */
export function chooseThreadGroups(
  clusters: readonly ClusterCost[],
  threads: number,
  limit: string,
): ThreadGroups {
  const whole = clusters.reduce((sum, { seconds }) => sum + seconds, 0);
  let best = { groups: share(clusters, 1), seconds: whole };
  for (let count = 2; count <= threads; count++) {
    const groups = share(clusters, count);
    if (groups.some(({ length }) => length === 0)) break;
    const longest = Math.max(...groups.map((group) => costOf(group)));
    const seconds = longest + (count - 1) * MEETING_SECONDS;
    if (whole - seconds >= GAIN_SECONDS && seconds < best.seconds) best = { groups, seconds };
  }
  return {
    groups: best.groups.map((group) =>
      group.flatMap(({ units }) => [...units]).sort((a, b) => a - b),
    ),
    why: best.groups.length === threads ? limit : reason(clusters, best.groups.length, whole),
  };
}

function reason(clusters: readonly ClusterCost[], count: number, whole: number): string {
  if (clusters.length === count) return `${count} units or groups of units are independent`;
  const micro = (seconds: number): string => `${Number((seconds * 1e6).toPrecision(2))} µs`;
  const longest = Math.max(...clusters.map(({ seconds }) => seconds));
  return `a step takes ${micro(whole)}, its longest part ${micro(longest)}: more threads would gain too little`;
}

function share(clusters: readonly ClusterCost[], threads: number): ClusterCost[][] {
  const groups: ClusterCost[][] = Array.from({ length: threads }, () => []);
  const byCost = [...clusters].sort((a, b) => b.seconds - a.seconds);
  for (const cluster of byCost.filter(({ isPinned }) => isPinned)) groups[0].push(cluster);
  for (const cluster of byCost.filter(({ isPinned }) => !isPinned)) {
    const idlest = groups.reduce((least, group) => (costOf(group) < costOf(least) ? group : least));
    idlest.push(cluster);
  }
  return groups;
}

function costOf(group: readonly ClusterCost[]): number {
  return group.reduce((sum, { seconds }) => sum + seconds, 0);
}
