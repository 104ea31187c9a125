// The guarantee of `createTokens`, sentence by sentence, for stored and for signed tokens, with
// every process's clock skewed, over a memory store that works and one behind a bad network.

import fc from "fast-check";
import { describe, expect, test, vi } from "vitest";
import { propertyRuns, propertyTimeoutMs } from "./support/property-runs.ts";
import {
  type Call,
  type Kind,
  playTokens,
  type TokenHistory,
  tokenRuns,
} from "./support/token-script.ts";

vi.setConfig({ testTimeout: propertyTimeoutMs() });

// What leaves open whether something happened, and what certainly did nothing.
const OPEN = ["indeterminate", "unavailable"];

const WORLDS: { name: string; kind: Kind; faults: boolean }[] = [
  { name: "stored tokens over the memory store", kind: "stored", faults: false },
  { name: "stored tokens over a bad network", kind: "stored", faults: true },
  { name: "signed tokens over the memory store", kind: "signed", faults: false },
  { name: "signed tokens over a bad network", kind: "signed", faults: true },
];

describe.each(WORLDS)("$name", (world) => {
  const always = (law: (history: TokenHistory) => void): Promise<void> =>
    fc.assert(
      fc.asyncProperty(tokenRuns(world), async (run) => {
        const history = await playTokens(run);
        if (history !== undefined) {
          law(history);
        }
      }),
      propertyRuns(200),
    );
  const right = ({ calls }: TokenHistory): Call[] => calls.filter(({ token }) => token === "right");

  test("at most one requestId is ever told consumed", async () => {
    await always(({ calls }) => {
      const consumers = calls.filter(({ told }) => told === "consumed");
      expect(new Set(consumers.map(({ requestId }) => requestId)).size).toBeLessThanOrEqual(1);
    });
  });

  test("it is told so again when it asks again, and others get used, until the end", async () => {
    await always((history) => {
      for (const first of right(history).filter(({ told }) => told === "consumed")) {
        for (const call of right(history)) {
          if (first.endedMs < call.beganMs && call.endedMs < history.validUntilMs) {
            const told = call.requestId === first.requestId ? "consumed" : "used";
            expect([told, ...OPEN]).toContain(call.told);
            expect(call.replayed).toBe(call.told === "consumed");
          }
        }
      }
    });
  });

  test("a wrong subject, a forged token and another name's are invalid", async () => {
    await always(({ kind, calls }) => {
      for (const { token, told } of calls) {
        if (token !== "right") {
          expect(["invalid", ...(kind === "stored" ? OPEN : [])]).toContain(told);
        }
      }
    });
  });

  test("and burn nothing: a right request is turned away only for one that had an effect", async () => {
    await always((history) => {
      for (const call of right(history)) {
        const rivals = right(history).filter(
          ({ requestId, beganMs, told }) =>
            requestId !== call.requestId && beganMs <= call.endedMs && told !== "unavailable",
        );
        const before = call.endedMs < history.validUntilMs;
        const allowed = [
          "consumed",
          ...OPEN,
          ...(rivals.length > 0 ? ["used"] : []),
          ...(before ? [] : ["expired", "invalid"]),
        ];
        expect(allowed).toContain(call.told);
      }
    });
  });

  test("nobody is told consumed who asks first when the token has expired", async () => {
    await always((history) => {
      for (const call of right(history)) {
        const asked = right(history).some(
          ({ requestId, beganMs }) => requestId === call.requestId && beganMs < history.expiredByMs,
        );
        if (!asked) {
          expect(call.told).not.toBe("consumed");
        }
      }
    });
  });

  test("every answer is a documented one, and a replay is one of an earlier ask", async () => {
    const outcomes = ["consumed", "used", "invalid", "expired", ...OPEN];
    await always(({ calls }) => {
      for (const call of calls) {
        expect(outcomes).toContain(call.told);
        const earlier = calls.filter(
          ({ requestId, token, beganMs }) =>
            requestId === call.requestId && token === "right" && beganMs <= call.endedMs,
        );
        expect(call.replayed && earlier.length < 2).toBe(false);
      }
    });
  });
});
