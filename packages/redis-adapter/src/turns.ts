// What divides the event loop into turns, taken when this module loads: a test that fakes timers
// later holds back what it sends itself, and not what waits here.

import * as nodeProcess from "node:process";
import * as nodeTimers from "node:timers";

/** Calls back when all that runs now has run. */
export const nextTick: typeof nodeProcess.nextTick = nodeProcess.nextTick;

/** Calls back in the next turn. */
export const setImmediate: typeof nodeTimers.setImmediate = nodeTimers.setImmediate;
