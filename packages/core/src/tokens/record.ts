// What tokens keep under a key, and how they are told apart.

import { decodeRecord, encodeRecord } from "../shared/record.js";

export type TokenRecord =
  | { readonly state: "issued" }
  /** `issued` is the revision that the token names; signed tokens have none. */
  | { readonly state: "consumed"; readonly by: string; readonly issued?: number };

export function encodeToken(record: TokenRecord): string {
  return encodeRecord(record);
}

export function decodeToken(value: string): TokenRecord {
  return decodeRecord<TokenRecord>(value).header;
}

/** What `consume` answers. */
export type Consumption =
  /** This request has it, now (`replayed: false`) or by an earlier ask of the same request. */
  | { readonly outcome: "consumed"; readonly replayed: boolean }
  /** Another request has it. */
  | { readonly outcome: "used" }
  /** Forged, forgotten or issued to another subject: one answer for all, and nothing is burned. */
  | { readonly outcome: "invalid" }
  /** Past its time; told of signed tokens only, as a stored one is then forgotten. */
  | { readonly outcome: "expired" }
  | { readonly outcome: "indeterminate"; readonly cause: unknown };

/** A consumption with the instant it was recorded (microseconds), for what builds on it. */
export type ConsumedAt =
  | (Extract<Consumption, { outcome: "consumed" }> & { readonly writtenAt: number })
  | Exclude<Consumption, { outcome: "consumed" }>;

/** How one kind of token is issued and consumed. */
export interface TokenKind {
  issue(subject: string): Promise<string>;
  consume(token: string, subject: string, by: string): Promise<ConsumedAt>;
}
