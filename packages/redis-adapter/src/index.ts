// The public surface: so far only a marker. The atomic store on Redis and Valkey comes next.

/** True once this package holds a store; until then it only reserves the name. */
export const available = false as boolean;
