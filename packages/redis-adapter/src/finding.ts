// What preflight, or a store at work, finds about a server or client: plain data with a stable id.

export interface Finding {
  /** Stable: branch on it. */
  readonly id: FindingId;
  /**
   * `fatal`: a guarantee does not hold, or nothing works. `warning`: it holds only under conditions
   * that you have to see to. `info`: worth knowing.
   */
  readonly severity: "fatal" | "warning" | "info";
  /** What was found, and where. */
  readonly finding: string;
  /** What to do about it. */
  readonly remedy: string;
}

/** Every finding there is. */
export type FindingId =
  | "clientMissesFailovers"
  | "clientNeverReconnects"
  | "clientQueueBounded"
  | "clientReadsFromReplicas"
  | "clientResends"
  | "clientTimeoutShort"
  | "clusterThroughSingleClient"
  | "durabilityOverstated"
  | "durabilityUnderstated"
  | "durabilityUnread"
  | "evictionDormant"
  | "evictionUnread"
  | "evictsRecords"
  | "memoryNearlyFull"
  | "permissionMissing"
  | "persistenceFailing"
  | "persistenceOff"
  | "replicasNotAwaited"
  | "replicasTooFew"
  | "serverIsReplica"
  | "serverUnread"
  | "versionTooOld"
  | "versionUnread"
  | "watchUnavailable";
