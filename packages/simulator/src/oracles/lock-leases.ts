// What locks promise of a hold in time: it is not taken within its lease, its holder's view ends with
// it, and what was lost stays lost.

import { type OperationOf, operationsOf, returnedBy, spansOf } from "../scenarios/recorded.js";
import type { Guarantee } from "../scenarios/scenario.js";
import { firstOf, groupBy, ms, named, precedes, told } from "./judge.js";
import { holdings } from "./lock-holdings.js";

const RENEWAL =
  "Renewal never acquires again what was lost. A release removes only this holder's entry.";
/**
 * When a node sees that it has acquired a lock, no other acquisition still counts itself as held, by
 * its own clocks. Needs the spans' `detail.others`; paused nodes are judged by their clocks, too.
 * Nor is an acquisition or an extension told when it is over: the scenario's findings tell which were
 * told of a lock that did not count as held, `toldUnheld: [operation]`.
 */
export const lockViewWithinLease: Guarantee = {
  id: "lock/view-within-lease",
  sentence:
    "A holder's own view never outlasts its lease: it counts from before the first send, on the larger of monotonic and wall-clock time, minus a margin.",
  judge(history) {
    const unheld = (history.findings.toldUnheld ?? []) as readonly number[];
    const over = history.operations.find(({ id }) => unheld.includes(id));
    if (over !== undefined) {
      return `${named(over)} was told ${told(over)}, though its lease may have ended by the holder's own clocks`;
    }
    const releases = operationsOf(history, "lock.release");
    return firstOf(spansOf(history, "holds"), ({ key, by, fromUs, fencingToken, detail }) => {
      const others = (detail.others ?? []) as readonly number[];
      const other = others.find((token) => {
        const released = releases.some((call) => {
          return call.key === key && call.input.token === token && call.beganUs <= fromUs;
        });
        return token !== fencingToken && !released;
      });
      if (other === undefined) return undefined;
      return `${by} got "${key}" with token ${fencingToken} at ${ms(fromUs)}, while token ${other} still counted itself as held`;
    });
  },
};

/** Within its lease, who believes to hold a lock is not taken over, nor released by others. */
export const lockLeaseRespected: Guarantee = {
  id: "lock/lease-respected",
  sentence: RENEWAL,
  judge(history, { times }) {
    const held = holdings(history);
    const endings = groupBy(
      [...operationsOf(history, "lock.release"), ...operationsOf(history, "lock.extend")],
      ({ key }) => key,
    );
    return firstOf(spansOf(history, "holds"), ({ key, by, fromUs, untilUs, fencingToken }) => {
      const own = held.get(key)?.find((each) => each.token === fencingToken && each.call.by === by);
      if (own === undefined) return undefined;
      // Its own release ends the lease, and so may an extension, which can be shorter.
      const ended = (endings.get(key) ?? [])
        .filter((each) => each.by === by && each.input.token === fencingToken)
        .map(({ beganUs }) => beganUs);
      const lapsesUs = own.call.beganUs + times.leaseMs * 1000;
      const endUs = Math.min(lapsesUs, untilUs ?? lapsesUs, ...ended);
      const other = held.get(key)?.find(({ token, call }) => {
        return token > own.token && (call.endedUs ?? endUs) < endUs;
      });
      if (other === undefined) return undefined;
      return `${named(other.call)} got "${key}", which ${by} held since ${ms(fromUs)}, within its lease until ${ms(lapsesUs)}`;
    });
  },
};

/**
 * After another was told that it holds the lock, or the holder itself that it released it, no
 * renewal of the older hold succeeds, and no release of it.
 */
export const lockLostStaysLost: Guarantee = {
  id: "lock/lost-stays-lost",
  sentence: RENEWAL,
  judge(history) {
    const held = holdings(history);
    const releases = operationsOf(history, "lock.release");
    const ended = new Map<string, OperationOf<"lock.release">>();
    for (const call of releases) {
      if (returnedBy<"lock.release">(call) !== "released") continue;
      ended.set(`${call.key}\n${call.input.token}`, call);
    }
    const claims = [
      ...operationsOf(history, "lock.extend").filter(
        (call) => returnedBy<"lock.extend">(call) === "extended",
      ),
      ...releases.filter((call) => returnedBy<"lock.release">(call) === "released"),
    ];
    return firstOf(claims, (claim) => {
      const { token } = claim.input;
      const newer = held.get(claim.key)?.find((each) => {
        return each.token > token && precedes(each.call, claim);
      });
      const release = ended.get(`${claim.key}\n${token}`);
      const gone = release !== undefined && release.id !== claim.id && precedes(release, claim);
      const why = newer?.call ?? (gone && claim.method === "lock.extend" ? release : undefined);
      if (why === undefined) return undefined;
      return `${named(claim)} of token ${token} was told ${told(claim)}, though it was lost: ${named(why)} was told ${told(why)}`;
    });
  },
};
