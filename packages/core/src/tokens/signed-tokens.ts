// Tokens that carry their own proof: `kid.id.expiresAt.mac`. Issuing stores nothing; consuming
// creates a record that outlives the token, so that a forgotten record means an expired token.

import { hmac } from "@noble/hashes/hmac.js";
import { sha256 } from "@noble/hashes/sha2.js";
import type { Applied, Entry, Stamp, StampedWrite } from "../contract/atomic-store.js";
import { base64url } from "../shared/base64url.js";
import { lengthPrefixed, shortHash, utf8 } from "../shared/hash.js";
import { randomId } from "../shared/random-id.js";
import { type Place, type Sent, send } from "../shared/send.js";
import { settle } from "../shared/settle.js";
import { storeKey } from "../shared/store-key.js";
import { deadlineIn } from "../shared/time.js";
import type { ResolvedTokens, SigningKey } from "./options.js";
import { type ConsumedAt, decodeToken, encodeToken, type TokenKind } from "./record.js";

const TOKEN =
  /^([A-Za-z0-9_-]{1,32})\.([A-Za-z0-9_-]{22})\.([1-9][0-9]{0,15})\.([A-Za-z0-9_-]{43})$/;

/** Compares every character, wherever the first difference lies. */
function sameText(a: string, b: string): boolean {
  let difference = a.length ^ b.length;
  for (let index = 0; index < a.length; index += 1) {
    difference |= a.charCodeAt(index) ^ b.charCodeAt(index);
  }
  return difference === 0;
}

export function signedTokens(
  options: ResolvedTokens,
  signing: readonly [SigningKey, ...SigningKey[]],
): TokenKind {
  const { store, runtime, name, prefix, tokenMs, retentionMs, settleMs, emit } = options;
  const { tombstoneMs } = store.capabilities;
  const secrets = new Map(
    signing.map(({ kid, secret }) => [
      kid,
      typeof secret === "string" ? utf8(secret) : secret.slice(),
    ]),
  );
  const macOf = (secret: Uint8Array, subject: string, ...fields: readonly string[]): string =>
    base64url(hmac(sha256, secret, utf8(lengthPrefixed(["token-1", name, subject, ...fields]))));

  /** Tells *consumed* only of a record that outlives the token by the tombstone time, else +1. */
  async function consumed(
    place: Place,
    by: string,
    first: Standing,
    needed: number,
    replayed: boolean,
  ): Promise<ConsumedAt> {
    let at = first;
    while (at.expiresAt !== undefined && at.expiresAt < needed) {
      const ttlMs: number = (needed - at.now) / 1000 + tombstoneMs;
      const sent: Sent = await send<StampedWrite>(
        options,
        place,
        at.stamp,
        () => ({ touch: true, ttlMs }),
        { persist: true },
        // It is consumed already, so an error may not say that nothing happened.
      ).catch((cause: unknown) => ({ outcome: "unknown", cause }));
      if (sent.outcome === "own") {
        break;
      }
      // Another ask of this request may have extended it, or it is gone before it was told.
      const stands = sent.outcome === "refused" ? standing(sent, by) : undefined;
      if (stands === undefined) {
        return { outcome: "indeterminate", cause: "cause" in sent ? sent.cause : undefined };
      }
      at = stands;
    }
    return { outcome: "consumed", replayed, writtenAt: first.writtenAt };
  }

  return {
    async issue(subject) {
      const [{ kid }] = signing;
      const id = randomId(runtime);
      const expiresAt = String(Math.floor(runtime.wallNow() + tokenMs));
      const secret = secrets.get(kid) ?? new Uint8Array();
      return `${kid}.${id}.${expiresAt}.${macOf(secret, subject, kid, id, expiresAt)}`;
    },

    async consume(token, subject, by): Promise<ConsumedAt> {
      const [, kid = "", id = "", expires = "", mac = ""] = TOKEN.exec(token) ?? [];
      const secret = secrets.get(kid);
      // A token without a known key is checked all the same, so that the time tells nothing.
      const expected = macOf(secret ?? new Uint8Array(32), subject, kid, id, expires);
      if (!sameText(mac, expected) || secret === undefined) {
        return { outcome: "invalid" };
      }
      const key = storeKey(prefix, shortHash("signed", id, subject));
      const tokenEnd = Number(expires) * 1000;
      const needed = tokenEnd + tombstoneMs * 1000;
      const leastMs = Number(expires) - runtime.wallNow() + 2 * tombstoneMs;
      // Of this ask alone: what the store replays is then a send of it, never an earlier ask.
      const opId = randomId(runtime);
      const value = encodeToken({ state: "consumed", by });
      const next = { value, ttlMs: Math.max(retentionMs, leastMs) };
      const answer = await settle(
        () => store.write({ key, opId, expect: { absentSince: 0 }, next }),
        {
          runtime,
          deadline: deadlineIn(runtime, settleMs),
          onUnknown: (known, cause) => emit(subject, { type: "unknown", settled: known, cause }),
        },
      );
      if (answer.outcome === "unknown") {
        return { outcome: "indeterminate", cause: answer.cause };
      }
      if (answer.now >= tokenEnd) {
        return { outcome: "expired" };
      }
      if (answer.outcome === "refused" && answer.entry === undefined) {
        // The record ended before whoever wrote it extended it, so nobody was told of it.
        return { outcome: "indeterminate", cause: undefined };
      }
      const at = answer.outcome === "applied" ? applied(answer, opId) : standing(answer, by);
      return at
        ? consumed({ key: subject, storeKey: key }, by, at, needed, at.stamp.opId !== opId)
        : { outcome: "used" };
    },
  };
}

/** This request's record as it stands. */
interface Standing {
  readonly stamp: Stamp;
  readonly writtenAt: number;
  readonly expiresAt: number | undefined;
  readonly now: number;
}

function applied({ revision, writtenAt, expiresAt, now }: Applied, opId: string): Standing {
  return { stamp: { revision, opId }, writtenAt, expiresAt, now };
}

function standing(seen: { entry?: Entry; now: number }, by: string): Standing | undefined {
  const record = seen.entry && decodeToken(seen.entry.value);
  if (seen.entry === undefined || record?.state !== "consumed" || record.by !== by) {
    return undefined;
  }
  const { stamp, writtenAt, expiresAt } = seen.entry;
  return { stamp, writtenAt, expiresAt, now: seen.now };
}
