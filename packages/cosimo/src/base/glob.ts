/**
 * Patterns over names, as people type them.
 */

/** A pattern that names can be held against. */
export interface Glob {
  test(name: string): boolean;
}

/**
 * `*` and `?` as wild cards; brackets and everything else mean themselves. No regular expression:
 * those have a longest length, and patterns with many stars that take them for ever. Here a star
 * that was too short grows by one, and no earlier one ever need be reconsidered.
 */
export function globOf(pattern: string): Glob {
  const wanted = [...pattern];
  return {
    test(name) {
      const given = [...name];
      let at = 0;
      let star = -1;
      let resume = 0;
      for (let i = 0; i < given.length; ) {
        if (wanted[at] === "*") {
          star = at++;
          resume = i;
        } else if (wanted[at] === "?" || wanted[at] === given[i]) {
          at++;
          i++;
        } else if (star >= 0) {
          at = star + 1;
          i = ++resume;
        } else {
          return false;
        }
      }
      while (wanted[at] === "*") at++;
      return at === wanted.length;
    },
  };
}
