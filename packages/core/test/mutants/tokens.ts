// Broken variants of tokens: small changes to the real source, each of which must make the
// property file fail.

// biome-ignore-all lint/suspicious/noTemplateCurlyInString: these are pieces of source text

import type { Mutant } from "../support/mutant.ts";

const signed = "src/tokens/signed-tokens.ts";
const stored = "src/tokens/stored-tokens.ts";
const test = "test/tokens.property.test.ts";

export const mutants: readonly Mutant[] = [
  {
    id: "tokens/get-then-consume",
    guarantee: "at most one requestId is ever told consumed",
    file: stored,
    find: "      const next = { value, ttlMs: retentionMs };",
    replace:
      '      const next = { value, ttlMs: retentionMs }; const seen = await store.read(key); if (seen.entry && decodeToken(seen.entry.value).state === "issued") { await store.write({ key, opId, expect, next }); return { outcome: "consumed", replayed: false, writtenAt: seen.now }; }',
    test,
  },
  {
    id: "tokens/request-id-ignored",
    guarantee: "another request is told used",
    file: stored,
    find: "return record.by === by",
    replace: 'return record.by !== ""',
    test,
  },
  {
    id: "tokens/request-id-ignored-when-signed",
    guarantee: "another request is told used",
    file: signed,
    find: 'record?.state !== "consumed" || record.by !== by',
    replace: 'record?.state !== "consumed" || record.by === ""',
    test,
  },
  {
    id: "tokens/asking-again-is-used",
    guarantee: "the request that consumed is told so again when it asks again",
    file: signed,
    find: 'record?.state !== "consumed" || record.by !== by',
    replace: 'record?.state !== "consumed" || record.by !== ""',
    test,
  },
  {
    id: "tokens/forged-revision",
    guarantee: "a forged token is invalid, also beside the right one's consumption",
    file: stored,
    find: 'record?.state !== "consumed" || record.issued !== revision',
    replace: 'record?.state !== "consumed" || revision === 0',
    test,
  },
  {
    id: "tokens/asks-share-an-opId",
    guarantee: "a replay is one of an earlier ask",
    file: stored,
    find: "const opId = randomId(runtime);\n      const expect",
    replace: 'const opId = shortHash("consume", id, by);\n      const expect',
    test,
  },
  {
    id: "tokens/end-judged-by-the-client's-clock",
    guarantee: "the end of a token is judged on the store's now",
    file: signed,
    find: "if (answer.now >= tokenEnd) {",
    replace: "if (runtime.wallNow() * 1000 >= tokenEnd) {",
    test,
  },
  {
    id: "tokens/record-forgotten-before-the-token-ends",
    guarantee: "the record outlives the token by the tombstone time",
    file: signed,
    find: "while (at.expiresAt !== undefined && at.expiresAt < needed) {",
    replace: "while (at.expiresAt !== undefined && at.expiresAt < 0) {",
    test,
  },
  {
    id: "tokens/told-of-a-record-that-is-gone",
    guarantee: "consumed is told only of a record that outlives the token",
    file: signed,
    find: 'if (sent.outcome === "own") {',
    replace: 'if (sent.outcome !== "unknown") {',
    test,
  },
  {
    id: "tokens/consumed-but-unavailable",
    guarantee: "a code that says nothing happened is told only when nothing happened",
    file: signed,
    find: '{ persist: true },\n        // It is consumed already, so an error may not say that nothing happened.\n      ).catch((cause: unknown) => ({ outcome: "unknown", cause }));',
    replace: ");",
    test,
  },
  {
    id: "tokens/signature-without-the-end",
    guarantee: "the signature covers every field",
    file: signed,
    find: '"token-1", name, subject, ...fields]',
    replace: '"token-1", name, subject, ...fields.slice(0, 2)]',
    test,
  },
  {
    id: "tokens/signature-without-the-subject",
    guarantee: "a wrong subject is invalid and burns nothing",
    file: signed,
    find: '"token-1", name, subject, ...fields]',
    replace: '"token-1", name, ...fields]',
    test,
  },
  {
    id: "tokens/signature-without-the-name",
    guarantee: "another name's token is invalid",
    file: signed,
    find: '"token-1", name, subject, ...fields]',
    replace: '"token-1", subject, ...fields]',
    test,
  },
  {
    id: "tokens/run-is-born-when-it-is-asked",
    guarantee: "a holder that paused beyond the retention never runs it again",
    file: "src/tokens/create-tokens.ts",
    find: "issuedAtMs: result.writtenAt / 1000,",
    replace: "issuedAtMs: runtime.wallNow(),",
    test: "test/tokens-run.property.test.ts",
  },
  {
    id: "tokens/run-by-each-holder",
    guarantee: "run executes once and every holder gets the first result",
    file: "src/tokens/create-tokens.ts",
    find: "return dedup.run(`token:${shortHash(token, subject)}`, handler, {",
    replace: "return dedup.run(`token:${randomId(runtime)}`, handler, {",
    test: "test/tokens-run.property.test.ts",
  },
];
