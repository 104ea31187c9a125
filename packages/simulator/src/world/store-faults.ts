// The faults that the store itself suffers, and what the trace says of them.

import type { FaultAt } from "./fault-plan.js";
import type { Sessions } from "./sessions.js";
import type { StoreServer } from "./store-server.js";
import type { Ask } from "./trace.js";

/** Whether a fault strikes the store rather than the message or its sender. */
export function isAtStore({ fault }: FaultAt): boolean {
  switch (fault) {
    case "jumpStoreClock":
    case "restartStore":
    case "failover":
    case "disconnect":
    case "evict":
    case "staleReads":
      return true;
    default:
      return false;
  }
}

/** What a fault may strike at the store. */
export interface Struck {
  readonly server: StoreServer;
  /** Present if it offers transactions. */
  readonly sessions: Sessions | undefined;
}

/** Lets a fault strike the store; says whether the request is lost by it. */
export function strikeStore(
  { server, sessions }: Struck,
  fault: FaultAt,
  ask: Ask,
  note: (change: string) => void,
): boolean {
  switch (fault.fault) {
    case "jumpStoreClock":
      server.jumpClock(Math.round(fault.byMs * 1000));
      note(`its clock jumped by ${fault.byMs} ms`);
      return false;
    case "restartStore":
      note(`restarted, ${server.lose(fault.loses)} writes lost`);
      sessions?.drop();
      return fault.phase === "arrive";
    case "failover":
      note(`a replica took over, ${server.lose(fault.loses)} writes lost`);
      server.jumpClock(-Math.round(fault.lagMs * 1000));
      return fault.phase === "arrive";
    case "disconnect":
      note("lost a connection");
      if (ask.ask === "session") {
        sessions?.disconnect(ask.session);
      }
      return fault.phase === "arrive";
    case "evict":
      server.evict(keysOf(ask));
      note("evicted what the request is about");
      return false;
    case "staleReads":
      server.serveStale(fault.forMs * 1000);
      note(`reads stand still for ${fault.forMs} ms`);
      return false;
    default:
      return false;
  }
}

function keysOf(ask: Ask): readonly string[] {
  switch (ask.ask) {
    case "read":
      return [ask.key];
    case "write":
      return [ask.write.key];
    case "writeAll":
      return ask.keys;
    case "session":
    case "call":
      return [];
  }
}
