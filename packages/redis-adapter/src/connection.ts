// One connection, whichever client it belongs to: the bridge that makes all clients look alike.

/** One connection, whichever client it belongs to. */
export interface Connection {
  /** Whether the keys are spread over several servers, so that those of one script need one slot. */
  readonly cluster: boolean;
  /** What the client itself puts before every key. */
  readonly keyPrefix: string;
  /** Whether all commands go over one connection, in order, as long as it is not lost. */
  readonly sole: boolean;
  /**
   * Calls back when a command may be sent: now, or in a later turn of the event loop where this one
   * has sent as much as goes well together. Then `state` may have changed.
   */
  inTurn(send: () => void): void;
  /** Sends a command now, to the server of `key`. Only called while `state` is *ready*. */
  send(key: string, args: string[]): Promise<unknown>;
  /** Sends commands over one connection to the server of `key`, each right behind the one before. */
  sendInOrder(key: string, commands: readonly string[][]): Promise<readonly unknown[]>;
  /** A name for the server that a key lies on. */
  serverOf(key: string): string;
  state(): "ready" | "connecting" | "ended";
  /** Calls back when the connection may be ready or has ended for good. Returns a cancel. */
  onSettled(callback: () => void): () => void;
  /** Whether the client tells that a connection was lost or ended. */
  readonly tells: boolean;
  /** Why there is no connection, as far as the client says. */
  lastError(): Error | undefined;
  /** How often a connection was lost: a client may have sent a command twice in between. */
  losses(): number;
  /** How often another server may have taken the place of the one before: losses, and what hints at it. */
  changes(): number;
}

/** `inTurn` of clients whose commands need no portions. */
export function atOnce(send: () => void): void {
  send();
}

/** Counts losses and wakes who waits. */
export interface ConnectionEvents {
  wake(): void;
  lost(): void;
  changed(): void;
  onSettled(callback: () => void): () => void;
  losses(): number;
  changes(): number;
}

export function createConnectionEvents(): ConnectionEvents {
  let losses = 0;
  let hints = 0;
  const waiters = new Set<() => void>();
  return {
    wake() {
      for (const waiter of waiters) {
        waiter();
      }
    },
    lost() {
      losses += 1;
    },
    changed() {
      hints += 1;
    },
    losses: () => losses,
    changes: () => losses + hints,
    onSettled(callback) {
      waiters.add(callback);
      return () => waiters.delete(callback);
    },
  };
}
