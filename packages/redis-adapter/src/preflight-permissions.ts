// Whether the client's user may run what the store runs, found by trying: each command on a key that
// does not exist, in a form that changes nothing. Asking ACL itself needs rights that few users have.

import { driverError, type Runtime } from "@onceproof/core/advanced";
import type { Remark } from "./preflight-server.js";
import type { Setup } from "./preflight-setup.js";
import { replyText } from "./reply.js";
import type { ServerHandle } from "./servers.js";
import { watchUnavailable } from "./watch-finding.js";
import { routerOf } from "./watch-route.js";

// Each command that the scripts call: SET XX, SETRANGE with nothing, EXPIREAT and PERSIST do nothing
// to an absent key, and nobody listens on its channel.
const TRY_ALL = `
local failed = {}
for _, try in ipairs({
  {'TIME'}, {'GET', KEYS[1]}, {'GETRANGE', KEYS[1], 0, 0}, {'SET', KEYS[1], '', 'XX'},
  {'SETRANGE', KEYS[1], 0, ''}, {'EXPIREAT', KEYS[1], 1}, {'PERSIST', KEYS[1]},
  {'SPUBLISH', KEYS[1], ''}
}) do
  local said = redis.pcall(unpack(try))
  if type(said) == 'table' and said.err then
    failed[#failed + 1] = try[1]
    failed[#failed + 1] = said.err
  end
end
return failed
`;
const NO_SCRIPT = "0".repeat(40);
// How many keys are tried until one lies on the server that is asked.
const MOST_KEYS = 200;
// Says something of the server's state, which other findings tell, not of what the user may do.
const STATE = /^(OOM|READONLY|MISCONF|NOREPLICAS|LOADING|MASTERDOWN|CLUSTERDOWN|BUSY|NOSCRIPT)\b/;

// Says that the server took no command from this client at all, or that none came to it: a reply
// begins with its code, what a client says by itself does not.
const NOT_HEARD = /^(NOAUTH|WRONGPASS)\b|^(?![A-Z]{2,}\b)/;

function denied(command: string, cause: unknown, at: string): Remark {
  const { message } = driverError(cause);
  const told = command === "SPUBLISH";
  return {
    id: "permissionMissing",
    severity: told ? "warning" : "fatal",
    finding: `${command} is not permitted${told ? ", so waiters are not woken" : ""}: ${message}`,
    remedy:
      "allow the store's keys, channels and commands, for example ACL: ~onceproof|* &onceproof|*" +
      " +@read +@write +@scripting +@connection +time +info +spublish +ssubscribe +sunsubscribe",
    at,
  };
}

/** A key that nobody has. */
function freshKey({ keyOf }: Setup, runtime: Runtime): string {
  return keyOf(`preflight:${runtime.randomBytes(16).join("-")}`);
}

/** Asks with one key after the other until one belongs to this server; of one server each does. */
async function onThisServer<T>(
  setup: Setup,
  runtime: Runtime,
  ask: (key: string) => Promise<T>,
): Promise<T> {
  for (let count = 0; ; count += 1) {
    try {
      return await ask(freshKey(setup, runtime));
    } catch (error) {
      if (count >= MOST_KEYS || !driverError(error).message.startsWith("MOVED")) {
        throw error;
      }
    }
  }
}

async function attempt(command: string, at: string, send: Promise<unknown>): Promise<Remark[]> {
  try {
    await send;
    return [];
  } catch (error) {
    const { message } = driverError(error);
    if (NOT_HEARD.test(message)) {
      throw error;
    }
    return STATE.test(message) ? [] : [denied(command, error, at)];
  }
}

/** What the client's user lacks on one server; fails where the server does not hear this client. */
export async function judgePermissions(
  { address, send }: ServerHandle,
  setup: Setup,
  runtime: Runtime,
): Promise<readonly Remark[]> {
  const remarks = await attempt(
    "EVALSHA",
    address,
    onThisServer(setup, runtime, (key) => send(["EVALSHA", NO_SCRIPT, "1", key])),
  );
  if (setup.waitReplicas > 0) {
    remarks.push(...(await attempt("WAIT", address, send(["WAIT", "0", "1"]))));
  }
  const tried = onThisServer(setup, runtime, (key) => send(["EVAL", TRY_ALL, "1", key]));
  const evaluated = tried.then((failed) => {
    const parts = Array.isArray(failed) ? failed.map(replyText) : [];
    for (let at = 0; at + 1 < parts.length; at += 2) {
      const [command = "", said = ""] = parts.slice(at, at + 2);
      if (!STATE.test(said) && (setup.watch || command !== "SPUBLISH")) {
        remarks.push(denied(command, new Error(said), address));
      }
    }
  });
  const evalDenied = await attempt("EVAL", address, evaluated);
  return [...remarks, ...evalDenied];
}

/** Whether a watch could be woken: opens the extra connection, subscribes, and closes it. */
export async function judgeWatch(setup: Setup, runtime: Runtime): Promise<readonly Remark[]> {
  if (!setup.watch) {
    return [];
  }
  const { channelOf, routeOf } = routerOf(setup.client);
  const channel = channelOf(freshKey(setup, runtime));
  const route = routeOf(channel);
  if (route === undefined) {
    return [watchUnavailable(new Error("the cluster's slots are not known"))];
  }
  try {
    const link = await route.open({ message() {}, lost() {} });
    try {
      await link.subscribe(channel);
    } finally {
      link.close();
    }
    return [];
  } catch (error) {
    return [watchUnavailable(error)];
  }
}
