// Payloads for properties: of every kind, and such that differ by little.

import fc from "fast-check";

/** Anything that can be stored. */
export const anyPayload: fc.Arbitrary<unknown> = fc.anything({
  withBigInt: true,
  withDate: true,
  withMap: true,
  withSet: true,
  withTypedArray: true,
  withNullPrototype: true,
  withSparseArray: true,
  withUnicodeString: true,
  maxDepth: 3,
});

const LIKE_ZERO = [0, -0, 0n, "0", "-0", "", null, undefined, false, "false", Number.NaN, "NaN"];
const LIKE_ONE = [
  1,
  1n,
  "1",
  true,
  "true",
  new Date(1),
  new Date(1).toISOString(),
  new Date(Number.NaN),
];
const LIKE_BYTES = [
  new Uint8Array([1]),
  new Int8Array([1]),
  new Uint16Array([1]),
  "AQ",
  "Uint8Array",
];

/** Payloads of few atoms that look alike, so that two of them often differ by a type alone. */
export const alikePayload: fc.Arbitrary<unknown> = fc.letrec<{ payload: unknown }>((tie) => {
  const list = fc.array(tie("payload"), { maxLength: 2 });
  const key = fc.constantFrom("a", "0", "1", "Array");
  return {
    payload: fc.oneof(
      { maxDepth: 3, depthSize: "small" },
      fc.constantFrom<unknown>(...LIKE_ZERO, ...LIKE_ONE, ...LIKE_BYTES),
      list,
      list.map((members) => new Set(members)),
      fc
        .array(fc.tuple(tie("payload"), tie("payload")), { maxLength: 2 })
        .map((pairs) => new Map(pairs)),
      fc.dictionary(key, tie("payload"), { maxKeys: 2 }),
    ),
  };
}).payload;

/** Either. */
export const payload: fc.Arbitrary<unknown> = fc.oneof(anyPayload, alikePayload);
