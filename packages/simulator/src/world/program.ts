// Starts the program of a node, and notices when it fails: a program is mostly an async function,
// and what it throws must fail the run rather than end the host.

import type { Party } from "./party.js";

/** Runs a program; `fail` is told what the promise that it returned rejects with. */
export function startProgram(
  party: Party,
  program: () => unknown,
  fail: (error: unknown) => void,
): void {
  const { life } = party;
  const returned = program();
  if (returned instanceof Promise) {
    returned.catch((error) => {
      // What a dead process would have thrown, nobody sees.
      if (party.life === life) {
        fail(error);
      }
    });
  }
}
