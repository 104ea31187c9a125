// A business rejection of a handler within a transaction: recorded in a step of its own, since the
// transaction has taken its own record back.

import type { Write } from "../contract/atomic-store.js";
import { type Sent, send } from "../shared/send.js";
import { rejectionOf } from "./execute.js";
import { encodeDedup } from "./record.js";
import type { Claim, Claimed, TransactionCall } from "./transaction-call.js";
import { attemptOf } from "./transaction-work.js";

/**
 * Records the rejection in place of what the round had claimed.
 *
 * Guarantee: `own` says that it stands and that no earlier commit can take place any more; refused,
 * something else stands there. Cost: 1.
 */
export function recordRejection<Tx, T>(
  { options, request }: TransactionCall<Tx, T>,
  { expect, earlier }: Claim,
  { error, claimed }: { readonly error: unknown; readonly claimed: Claimed },
): Promise<Sent> {
  const value = encodeDedup({ ...attemptOf(request, earlier), ...rejectionOf(error) });
  // The claim has shown that nothing as new as itself was there.
  const since = expect === "absent" ? { absentSince: claimed.revision - 1 } : expect;
  return send<Write>(
    options,
    request,
    since,
    () => ({ value, ttlMs: request.retentionMs }) as Write["next"],
    { persist: true, signal: request.signal },
  ).catch((cause: unknown) => ({ outcome: "unknown", cause }));
}
