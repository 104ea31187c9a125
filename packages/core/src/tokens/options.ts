// Options of tokens and every default.

import type { DedupOptions } from "../dedup/create-dedup.js";
import { ArgumentError } from "../errors/errors.js";
import { checkDuration } from "../shared/arguments.js";
import { type Base, type FactoryOptions, resolveBase } from "../shared/factory-options.js";

/** A secret that signs tokens. */
export interface SigningKey {
  /** Names the secret within a token: 1 to 32 of A-Z, a-z, 0-9, `_` and `-`. */
  readonly kid: string;
  /** At least 32 bytes, or characters as UTF-8. */
  readonly secret: string | Uint8Array;
}

export interface TokensOptions
  extends FactoryOptions,
    Partial<Pick<DedupOptions, "leaseMs" | "marginMs" | "waitMs" | "classify">> {
  /** How long a token is valid. @defaultValue 300_000 (5 min) */
  readonly tokenMs?: number;
  /** How long a consumption, and the result of `run`, is remembered. @defaultValue 86_400_000 */
  readonly retentionMs?: number;
  /**
   * Signs tokens, so that issuing stores nothing. The first key signs, all of them verify: rotate
   * by putting a new one in front. @defaultValue none: tokens are stored
   */
  readonly signing?: readonly SigningKey[];
}

export interface ResolvedTokens extends Base {
  readonly tokenMs: number;
  readonly retentionMs: number;
  readonly signing: readonly SigningKey[] | undefined;
}

const KID = /^[A-Za-z0-9_-]{1,32}$/;

export function resolveTokens(options: TokensOptions): ResolvedTokens {
  const base = resolveBase("tokens", options);
  const { tokenMs = 300_000, retentionMs = 86_400_000, signing } = options;
  checkDuration(tokenMs, "tokenMs");
  checkDuration(retentionMs, "retentionMs");
  if (tokenMs > retentionMs) {
    throw new ArgumentError(
      "leaseExceedsRetention",
      `tokenMs (${tokenMs}) must not exceed retentionMs (${retentionMs})`,
    );
  }
  if (signing !== undefined) {
    checkSigning(signing);
  }
  return { tokenMs, retentionMs, signing, ...base };
}

function isSecret(secret: unknown): boolean {
  // By tag and not by `instanceof`, which bytes of another realm fail.
  const bytes = Object.prototype.toString.call(secret) === "[object Uint8Array]";
  return (bytes || typeof secret === "string") && (secret as string | Uint8Array).length >= 32;
}

function checkSigning(signing: unknown): void {
  if (!Array.isArray(signing)) {
    throw new ArgumentError(
      "optionInvalid",
      "signing must be a list of keys, the signing one first",
    );
  }
  const kids = new Set<string>();
  for (const key of signing as (SigningKey | undefined)[]) {
    // The message must not show the secret.
    if (typeof key?.kid !== "string" || !KID.test(key.kid) || !isSecret(key.secret)) {
      throw new ArgumentError(
        "optionInvalid",
        "each signing key needs a kid of 1 to 32 letters, digits, _ or -, and a secret of at least 32 bytes",
      );
    }
    kids.add(key.kid);
  }
  if (kids.size === 0 || kids.size !== signing.length) {
    throw new ArgumentError(
      "optionInvalid",
      "signing needs at least one key, each with its own kid",
    );
  }
}
