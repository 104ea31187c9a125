// The store's clock as a case moves it: by the harness' hooks, which are held to what they say, or by
// waiting. A hook that does nothing would let cases pass that saw nothing, or never end.

import type { Runtime } from "@onceproof/core/advanced";
import { ConformanceError, ConformanceSkip, check } from "./checks.js";
import type { ConformanceFixture } from "./harness.js";

/** What a clock may stand still for, as it may be coarse, in ms. */
const STANDSTILL_MS = 2_000;
/** A wait may fall short by a clock's coarseness, and again by what is left. */
const MAX_ROUNDS = 100;

export interface StoreClock {
  /** Waits until the store's clock has moved on by so much. */
  pass(byMs: number): Promise<void>;
  /** The same while other calls are made, of which none may be put in between. */
  passUnseen(byMs: number): Promise<void>;
  /** Waits until the clock reads at least this, in microseconds. */
  passUntil(instantUs: number): Promise<void>;
  stepBack(byMs: number): Promise<void>;
}

/** Creates the clock of one fixture; `now` reads the store's, in microseconds. */
export function createStoreClock(
  fixture: ConformanceFixture,
  runtime: Runtime,
  maxWaitMs: number,
  now: () => Promise<number>,
): StoreClock {
  let standingMs = 0;

  async function passUnseen(byMs: number): Promise<void> {
    if (fixture.advance !== undefined) {
      await fixture.advance(byMs);
    } else if (byMs > maxWaitMs) {
      throw new ConformanceSkip(`${byMs} ms have to pass, and the harness drives no clock`);
    } else {
      await new Promise<void>((resolve) => void runtime.setTimer(resolve, byMs));
    }
  }

  async function pass(byMs: number): Promise<void> {
    if (fixture.advance === undefined) {
      return passUnseen(byMs);
    }
    const before = await now();
    await passUnseen(byMs);
    const moved = (await now()) - before;
    standingMs = moved > 0 ? 0 : standingMs + byMs;
    check(standingMs < STANDSTILL_MS, `advance(${byMs}) did not move the store's clock`);
    check(byMs < STANDSTILL_MS || moved >= byMs * 500, tooLittle("advance", byMs, moved));
  }

  return {
    pass,
    passUnseen,
    async passUntil(instantUs) {
      for (let round = 0; round < MAX_ROUNDS; round += 1) {
        const leftUs = instantUs - (await now());
        if (leftUs <= 0) {
          return;
        }
        await pass(Math.ceil(leftUs / 1000));
      }
      const leftUs = instantUs - (await now());
      const message = `after ${MAX_ROUNDS} waits the store's clock still lacked ${leftUs} µs`;
      throw new ConformanceError(message);
    },
    async stepBack(byMs) {
      check(fixture.stepBack !== undefined, "the harness has no stepBack");
      const before = await now();
      await fixture.stepBack(byMs);
      const moved = before - (await now());
      const advice = "; leave stepBack out where the clock never goes back";
      check(moved > 0, `stepBack(${byMs}) did not move the store's clock back${advice}`);
      check(moved >= byMs * 500, tooLittle("stepBack", byMs, moved));
    },
  };
}

function tooLittle(hook: string, byMs: number, moved: number): string {
  return (
    `${hook}(${byMs}) moved the store's clock by ${moved} instead of ${byMs * 1_000}: ` +
    `does ${hook} take milliseconds, and does the clock count microseconds?`
  );
}
