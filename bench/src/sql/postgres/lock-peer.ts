// verrou's database store on Postgres, through Knex, as its documentation shows.

import { Verrou } from "@verrou/core";
import { knexStore } from "@verrou/core/drivers/knex";
import createKnex from "knex";
import { LEASE_MS, type LockUser } from "../../compare/users.js";
import { versionOf } from "../../compare/version.js";

export const VERROU_TABLE = "verrou";

export interface LockPeer {
  readonly user: LockUser;
  close(): Promise<unknown>;
}

/** Opens it over a Knex pool of as many connections as everyone has. */
export async function openLockPeer(
  connection: object,
  client: string,
  connections: number,
): Promise<LockPeer> {
  const knex = createKnex({ client: "pg", connection, pool: { min: 0, max: connections } });
  const verrou = new Verrou({
    default: "knex",
    stores: { knex: { driver: knexStore({ connection: knex, tableName: VERROU_TABLE }) } },
  });
  // It makes its table at the first use.
  await verrou.createLock("first use", LEASE_MS).acquire();
  const version = `${versionOf("@verrou/core")} on Knex ${versionOf("knex")}`;
  return {
    user: {
      name: `@verrou/core ${version}`,
      client,
      kind: "peer",
      lacks:
        "fencing token, store clock (it takes each client's), renewal, telling a failed statement from a lock that is held, unguessable owner names",
      async cycle(key) {
        const lock = verrou.createLock(key, LEASE_MS);
        await lock.acquire();
        await lock.release();
      },
      tryHold: (key) => verrou.createLock(key, LEASE_MS).acquireImmediately(),
    },
    close: () => knex.destroy(),
  };
}
