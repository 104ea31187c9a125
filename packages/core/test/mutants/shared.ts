// Broken variants of what the algorithms share: small changes to the real source, each of which
// must make a property file fail.

// biome-ignore-all lint/suspicious/noTemplateCurlyInString: these are pieces of source text

import type { Mutant } from "../support/mutant.ts";

const lock = "test/lock.property.test.ts";
const fingerprint = "test/fingerprint.property.test.ts";
const codec = "test/value-codec.property.test.ts";

export const mutants: readonly Mutant[] = [
  {
    id: "shared/elapsed-on-the-monotonic-clock-alone",
    guarantee: "a suspended machine does not believe to hold",
    file: "src/shared/time.ts",
    find: "return Math.max(runtime.monotonicNow() - since.monotonicMs, runtime.wallNow() - since.wallMs);",
    replace: "return runtime.monotonicNow() - since.monotonicMs;",
    test: lock,
  },
  {
    id: "shared/elapsed-on-the-wall-clock-alone",
    guarantee: "a wall clock that steps back does not lengthen a lease",
    file: "src/shared/time.ts",
    find: "return Math.max(runtime.monotonicNow() - since.monotonicMs, runtime.wallNow() - since.wallMs);",
    replace: "return runtime.wallNow() - since.wallMs;",
    test: lock,
  },
  {
    id: "shared/ids-repeat",
    guarantee: "owner and opId are random per acquisition",
    file: "src/shared/random-id.ts",
    find: "pool.used += 1;",
    replace: "pool.used += pool.used === 0 ? 1 : 0;",
    test: lock,
  },
  {
    id: "shared/unavailable-after-unknown",
    guarantee: "a store that did nothing this time is no answer about an earlier send",
    file: "src/shared/settle.ts",
    find: "    if (unanswered) {\n      return unanswered;",
    replace: "    if (unanswered && failure === undefined) {\n      return unanswered;",
    test: "test/tokens.property.test.ts",
  },
  {
    id: "shared/store-key-without-lengths",
    guarantee: "two namespaces never meet",
    file: "src/shared/store-key.ts",
    find: "return `${name.length}:${name}${algorithm.length}:${algorithm}`;",
    replace: "return `${name}:${algorithm}:`;",
    test: "test/store-key.property.test.ts",
  },
  {
    id: "shared/hash-of-joined-parts",
    guarantee: "two lists of parts never share a hash",
    file: "src/shared/hash.ts",
    find: "parts.map((part) => `${part.length}:${part}`)",
    replace: "parts.map((part) => `:${part}`)",
    test: "test/store-key.property.test.ts",
  },
  {
    id: "shared/fingerprint-in-the-order-of-insertion",
    guarantee: "the order of a Map or a Set never matters",
    file: "src/shared/fingerprint.ts",
    find: "members.sort().join()",
    replace: "members.join()",
    test: fingerprint,
  },
  {
    id: "shared/fingerprint-in-the-order-of-keys",
    guarantee: "the order of keys never matters",
    file: "src/shared/fingerprint.ts",
    find: "Object.keys(fields).sort()",
    replace: "Object.keys(fields)",
    test: fingerprint,
  },
  {
    id: "shared/fingerprint-without-types",
    guarantee: "values of different types have different fingerprints",
    file: "src/shared/fingerprint.ts",
    find: "return `${value}n`;",
    replace: "return `${value}`;",
    test: fingerprint,
  },
  {
    id: "shared/fingerprint-of-bytes-without-their-type",
    guarantee: "views of the same bytes but another type differ",
    file: "src/shared/fingerprint.ts",
    find: "return `${name}(${base64url(",
    replace: 'return `"bytes"(${base64url(',
    test: fingerprint,
  },
  {
    id: "shared/codec-loses-minus-zero",
    guarantee: "a value comes back deep-equal",
    file: "src/shared/value-codec.ts",
    find: "return Number.isFinite(value) && !Object.is(value, -0);",
    replace: "return Number.isFinite(value);",
    test: codec,
  },
  {
    id: "shared/codec-takes-every-object-for-plain",
    guarantee: "a value comes back deep-equal",
    file: "src/shared/value-codec.ts",
    find: "(!list && Object.getPrototypeOf(value) !== Object.prototype)",
    replace: "(!list && value instanceof Map)",
    test: codec,
  },
];
