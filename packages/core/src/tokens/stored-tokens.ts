// Tokens that are stored when issued: `id.revision`. The issuing opId is derived from the secret
// id, so the stamp can be rebuilt from the token and consuming is one compare-and-set.

import { IndeterminateError } from "../errors/errors.js";
import { shortHash } from "../shared/hash.js";
import { randomId } from "../shared/random-id.js";
import { settle } from "../shared/settle.js";
import { storeKey } from "../shared/store-key.js";
import { deadlineIn } from "../shared/time.js";
import type { ResolvedTokens } from "./options.js";
import { type ConsumedAt, decodeToken, encodeToken, type TokenKind } from "./record.js";

const TOKEN = /^([A-Za-z0-9_-]{22})\.([1-9][0-9]{0,15})$/;

export function storedTokens(options: ResolvedTokens): TokenKind {
  const { store, runtime, prefix, tokenMs, retentionMs, settleMs, emit } = options;
  // Neither id nor subject can be read from the key.
  const keyOf = (id: string, subject: string): string =>
    storeKey(prefix, shortHash("stored", id, subject));
  const settled = (subject: string) => ({
    runtime,
    deadline: deadlineIn(runtime, settleMs),
    onUnknown: (known: boolean, cause: unknown) =>
      emit(subject, { type: "unknown", settled: known, cause }),
  });

  return {
    async issue(subject) {
      const id = randomId(runtime);
      const key = keyOf(id, subject);
      const opId = shortHash("issue", id);
      const next = { value: encodeToken({ state: "issued" }), ttlMs: tokenMs };
      const answer = await settle(
        () => store.write({ key, opId, expect: "absent", next }),
        settled(subject),
      );
      if (answer.outcome === "applied") {
        return `${id}.${answer.revision}`;
      }
      if (answer.outcome === "refused" && answer.entry?.stamp.opId === opId) {
        return `${id}.${answer.entry.stamp.revision}`;
      }
      throw new IndeterminateError("indeterminate", "whether the token was stored is not known", {
        cause: answer.outcome === "unknown" ? answer.cause : undefined,
      });
    },

    async consume(token, subject, by): Promise<ConsumedAt> {
      const parts = TOKEN.exec(token);
      const id = parts?.[1];
      const revision = Number(parts?.[2]);
      if (id === undefined || !Number.isSafeInteger(revision)) {
        return { outcome: "invalid" };
      }
      const key = keyOf(id, subject);
      const value = encodeToken({ state: "consumed", by, issued: revision });
      // Of this ask alone: what the store replays is then a send of it, never an earlier ask.
      const opId = randomId(runtime);
      const expect = { revision, opId: shortHash("issue", id) };
      const next = { value, ttlMs: retentionMs };
      const answer = await settle(() => store.write({ key, opId, expect, next }), settled(subject));
      if (answer.outcome === "unknown") {
        return { outcome: "indeterminate", cause: answer.cause };
      }
      if (answer.outcome === "applied") {
        return { outcome: "consumed", replayed: false, writtenAt: answer.writtenAt };
      }
      const record = answer.entry && decodeToken(answer.entry.value);
      if (record?.state !== "consumed" || record.issued !== revision) {
        return { outcome: "invalid" };
      }
      return record.by === by
        ? { outcome: "consumed", replayed: true, writtenAt: answer.entry?.writtenAt ?? answer.now }
        : { outcome: "used" };
    },
  };
}
