// Unguessable ids. Bytes are drawn in batches, since one draw costs more than one store call in
// memory.

import type { Runtime } from "../runtime/runtime.js";
import { base64url } from "./base64url.js";

const ID_BYTES = 16;
const BATCH = 64;

interface Pool {
  bytes: Uint8Array;
  used: number;
}
const pools = new WeakMap<Runtime, Pool>();

/** 128 unguessable bits as 22 base64url characters: an opId, an owner, a token's id. */
export function randomId(runtime: Runtime): string {
  let pool = pools.get(runtime);
  if (pool === undefined || pool.used === BATCH) {
    pool = { bytes: runtime.randomBytes(ID_BYTES * BATCH), used: 0 };
    pools.set(runtime, pool);
  }
  const id = base64url(pool.bytes, pool.used * ID_BYTES, ID_BYTES);
  pool.used += 1;
  return id;
}
