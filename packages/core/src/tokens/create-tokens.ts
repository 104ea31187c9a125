// `createTokens`: single-use tokens, for forms and one-time links.

import {
  type CallOptions,
  createDedup,
  type DedupOptions,
  type Handler,
} from "../dedup/create-dedup.js";
import { ArgumentError, codeOf, IndeterminateError, TokenError } from "../errors/errors.js";
import { checkDuration, checkFunction, checkKey, checkSignal } from "../shared/arguments.js";
import { shortHash } from "../shared/hash.js";
import { randomId } from "../shared/random-id.js";
import { resolveTokens, type SigningKey, type TokensOptions } from "./options.js";
import type { ConsumedAt, Consumption } from "./record.js";
import { signedTokens } from "./signed-tokens.js";
import { storedTokens } from "./stored-tokens.js";

/** Options of one consumption. */
export interface ConsumeOptions {
  /** Names the request: when it asks again, it is told *consumed* again. @defaultValue random */
  readonly requestId?: string;
}

/** Single-use tokens. */
export interface Tokens {
  /**
   * Issues a token to a subject (a session, a user, a form).
   *
   * Guarantee: unguessable; valid for this subject only. Cost: 1; signed 0.
   * Fails: `unavailable`, `indeterminate`, argument errors.
   */
  issue(subject: string): Promise<string>;
  /**
   * Consumes a token.
   *
   * Guarantee: until the token expires, at most one requestId is ever told *consumed*, and it is
   * told so again when it asks again; others get *used*. A wrong subject, a forged and a forgotten
   * token are one answer, *invalid*, and burn nothing. After a failover that loses acknowledged
   * writes a token may be consumed twice.
   * Cost: 1; a signed token whose record must be extended +1; a malformed or forged one 0.
   * Fails: `unavailable`, argument errors; *indeterminate* is an answer.
   */
  consume(token: string, subject: string, options?: ConsumeOptions): Promise<Consumption>;
}

/** Single-use tokens that also run what they stand for. */
export interface RunnableTokens extends Tokens {
  /**
   * Runs `handler` once for the token; every holder of token and subject gets the first result.
   *
   * Guarantee: that of `consume`, then that of `Dedup.run` with the token as key.
   * Cost: 3, for another holder 2. Fails: `tokenInvalid`, `tokenUsed`, `tokenExpired`, and those
   * of `Dedup.run`.
   */
  run<T>(
    token: string,
    subject: string,
    handler: Handler<T>,
    options?: { readonly waitMs?: number; readonly signal?: AbortSignal },
  ): Promise<T>;
}

/** With `onCrash`, the tokens also `run`. */
export interface RunnableTokensOptions extends TokensOptions {
  /** What follows when a run ended without a known outcome: see `DedupOptions.onCrash`. */
  readonly onCrash: DedupOptions["onCrash"];
}

/**
 * Creates tokens over any store: stored, or with `signing`, signed.
 *
 * Guarantee: see `Tokens`. Cost: no store call. Fails: ArgumentError for bad options.
 */
export function createTokens(options: RunnableTokensOptions): RunnableTokens;
export function createTokens(options: TokensOptions): Tokens;
export function createTokens(
  options: TokensOptions & Partial<RunnableTokensOptions>,
): Tokens & Partial<RunnableTokens> {
  const resolved = resolveTokens(options);
  const { emit, runtime, signing } = resolved;
  const kind = signing
    ? signedTokens(resolved, signing as [SigningKey, ...SigningKey[]])
    : storedTokens(resolved);

  const consume = async (token: string, subject: string, by: string): Promise<ConsumedAt> => {
    // Whatever text a client sends as a token is an answer, not an error.
    if (typeof token !== "string") {
      throw new ArgumentError("keyNotString", `token must be a string, got ${typeof token}`);
    }
    checkKey(subject, "subject");
    const result = await kind.consume(token, subject, by);
    if (result.outcome === "consumed") {
      emit(subject, { type: result.replayed ? "replayed" : "consumed" });
    } else if (result.outcome !== "indeterminate") {
      emit(subject, { type: "refused", reason: result.outcome });
    }
    return result;
  };
  const tokens: Tokens = {
    async issue(subject) {
      checkKey(subject, "subject");
      const token = await kind.issue(subject);
      emit(subject, { type: "issued" });
      return token;
    },
    async consume(token, subject, call = {}) {
      const { requestId = randomId(runtime) } = call;
      checkKey(requestId, "requestId");
      const result = await consume(token, subject, `request:${requestId}`);
      return result.outcome === "consumed"
        ? { outcome: "consumed", replayed: result.replayed }
        : result;
    },
  };
  const { onCrash } = options;
  if (onCrash === undefined) {
    return tokens;
  }
  const dedup = createDedup({ ...options, onCrash });
  const runConsumed = async <T>(
    key: string,
    handler: Handler<T>,
    call: CallOptions,
  ): Promise<T> => {
    let ran = false;
    try {
      return await dedup.run(
        key,
        (ctx) => {
          ran = true;
          return handler(ctx);
        },
        call,
      );
    } catch (cause) {
      if (!ran && codeOf(cause) === "unavailable") {
        const what = "the token is consumed and has not run: ask again with run()";
        throw new IndeterminateError("indeterminate", what, { cause });
      }
      throw cause;
    }
  };
  return {
    ...tokens,
    async run(token, subject, handler, call = {}) {
      checkFunction(handler, "the handler");
      const { waitMs = 0, signal } = call;
      checkDuration(waitMs, "waitMs", 0);
      checkSignal(signal);
      const result = await consume(token, subject, "run");
      switch (result.outcome) {
        case "consumed":
          // Born when it was consumed: a holder that paused past the retention cannot run it again.
          return runConsumed(`token:${shortHash(token, subject)}`, handler, {
            ...call,
            issuedAtMs: result.writtenAt / 1000,
          });
        case "used":
          throw new TokenError("tokenUsed", "another request has used this token");
        case "invalid":
          throw new TokenError("tokenInvalid", "the token is not valid for this subject");
        case "expired":
          throw new TokenError("tokenExpired", "the token has expired");
        case "indeterminate":
          throw new IndeterminateError(
            "indeterminate",
            "whether the token was consumed is not known",
            result,
          );
      }
    },
  };
}
