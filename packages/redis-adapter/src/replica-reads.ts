// Refuses clients that are set to read from replicas: an answer of theirs may be out of date, which
// no clause of the contract allows. Only what a client shows of its options can be seen.

import { ArgumentError } from "@onceproof/core/advanced";

const SETTINGS: readonly (readonly [name: string, harmless: readonly unknown[]])[] = [
  // ioredis: a Cluster's reads, the role that Sentinel is asked for, the mode of a connection.
  ["scaleReads", ["master"]],
  ["role", ["master"]],
  ["readOnly", [false]],
  // node-redis: a cluster's reads, the mode of a connection.
  ["useReplicas", [false]],
  ["readonly", [false]],
];

/** Throws if the options of a client let it read from replicas. */
export function checkReadsFromMaster(options: unknown): void {
  const settings = Object(options) as Record<string, unknown>;
  for (const [name, harmless] of SETTINGS) {
    const value = settings[name];
    if (value !== undefined && value !== null && !harmless.includes(value)) {
      throw new ArgumentError(
        "optionInvalid",
        `client is set to read from replicas (${name}), whose answers may be out of date: pass a ` +
          "client of its own without that setting",
      );
    }
  }
}
