// INFO as fields, whatever a client makes of the reply.

import { replyText } from "./reply.js";

/** The fields of INFO, by name. */
export type ServerInfo = Readonly<Record<string, string | undefined>>;

/** Reads the reply to INFO. */
export function parseInfo(reply: unknown): ServerInfo {
  const fields: Record<string, string> = {};
  for (const line of replyText(reply).split(/\r?\n/)) {
    const colon = line.indexOf(":");
    if (colon > 0) {
      fields[line.slice(0, colon)] = line.slice(colon + 1);
    }
  }
  return fields;
}

/** Whether the server may drop a record that has not ended, to make room. */
export function evicts(info: ServerInfo): boolean {
  return info.maxmemory !== "0" && (info.maxmemory_policy ?? "noeviction") !== "noeviction";
}
