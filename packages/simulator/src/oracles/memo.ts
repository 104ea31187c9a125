// What several guarantees make of one history, made once: the groups of its calls, its runs, its
// holdings. Each guarantee is judged by itself and asks for them as if it were the only one.

import type { History } from "../world/history.js";

/**
 * Wraps what is made of a history and of some settings, so that it is made once for the same ones.
 * What is given must not be changed afterwards, and neither must the history.
 */
export function oncePerHistory<About extends readonly unknown[], Made>(
  make: (history: History, ...about: About) => Made,
): (history: History, ...about: About) => Made {
  const known = new WeakMap<History, { readonly about: About; readonly made: Made }[]>();
  return (history, ...about) => {
    let ofHistory = known.get(history);
    if (ofHistory === undefined) {
      ofHistory = [];
      known.set(history, ofHistory);
    }
    for (const each of ofHistory) {
      if (each.about.every((value, index) => value === about[index])) return each.made;
    }
    const made = make(history, ...about);
    ofHistory.push({ about, made });
    return made;
  };
}
