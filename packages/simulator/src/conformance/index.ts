// The public surface: so far only a marker. The simulator and its conformance kit come next.

/** True once this entry holds an implementation; until then it only reserves the name. */
export const available = false as boolean;
