// The Lua scripts: one call each, judged and stamped by the server's own clock. They do as little
// as the clauses allow (judging and comparing only), since server time per call is what bounds
// throughput; the client does the rest from the raw reply.
//
// Every reply is a list that begins with TIME's two parts; its length tells which:
//   [s, us]                     applied, and the revision is that time
//   [s, us, "", revision, ttl?] applied under a revision ahead of the clock, or with a kept ttl
//   [s, us, packed or nil]      what the key holds; after a write it refused, or, if it bears the
//                               write's own opId, was applied by an earlier send of it

import { createHash } from "node:crypto";

/** One script: its text and the digest that EVALSHA names it by. */
export interface Script {
  readonly text: string;
  readonly sha: string;
}

/** A script of this text, without its indentation and comments. */
export function script(text: string): Script {
  const lean = text
    .split("\n")
    .map((line) => line.trim())
    .filter((line) => line !== "" && !line.startsWith("--"))
    .join("\n");
  return { text: lean, sha: createHash("sha1").update(lean).digest("hex") };
}

/** KEYS[1]. One TIME and one GET; the client judges expiry from the TIME of the same step. */
export const READ: Script = script(`
  local t = redis.call('TIME')
  t[3] = redis.call('GET', KEYS[1])
  return t
`);

/**
 * KEYS[1]; ARGV: opId, ttl and value, seconds the key is kept or "", the highest revision allowed.
 *
 * A live entry is returned as it is, whoever's: the client sees whether it bears the write's own
 * opId. It is looked at before anything is built, so a refusal or replay costs little more than a
 * read, and passes on a server that is out of memory. EXAT is whole seconds of TIME: Redis drops
 * the key only after entry and tombstone have ended.
 */
export const CREATE: Script = script(`
  local call = redis.call
  local t = call('TIME')
  local s = call('GET', KEYS[1])
  local r, ahead = nil, 0
  if s then
    t[3] = s
    local now = t[1] * 1000000 + t[2]
    local kind, ttl = s:byte(39), tonumber(s:sub(56, 71))
    if kind ~= 118 and kind ~= 114 then return t end
    if kind == 118 and (ttl == 0 or now < s:sub(40, 55) + ttl) then return t end
    local revision = tonumber(s:sub(23, 38))
    if s:sub(1, 22) == ARGV[1] or revision > tonumber(ARGV[4]) then return t end
    t[3] = nil
    if revision >= now then
      r = string.format('%016.0f', revision + 1)
      ahead = math.ceil((revision + 1 - now) / 1000000)
      t[3] = ''
      t[4] = r
    end
  end
  local n = string.format('%010d%06d', t[1], t[2])
  local packed = ARGV[1]..(r or n)..'v'..n..ARGV[2]
  if ARGV[3] == '' then
    call('SET', KEYS[1], packed)
  else
    call('SET', KEYS[1], packed, 'EXAT', t[1] + ARGV[3] + ahead)
  end
  return t
`);

// What the three writes under a stamp share. ARGV[1] is the opId, ARGV[2] the expected stamp. Only
// the header is read unless the write is refused. A header that bears the write's own opId is
// returned as it is. (A stamp never does: the client sends another one then, see redis-store.ts.)
function underStamp(apply: string): string {
  return `
  local call = redis.call
  local s = call('GETRANGE', KEYS[1], 0, 70)
  local t = call('TIME')
  local now = t[1] * 1000000 + t[2]
  local matches = s:sub(1, 38) == ARGV[2] and s:byte(39) == 118
  local at, ttl
  if matches then
    at, ttl = tonumber(s:sub(40, 55)), tonumber(s:sub(56, 71))
    matches = ttl == 0 or now < at + ttl
  end
  if not matches then
    if s:sub(1, 22) == ARGV[1] then
      t[3] = s
    else
      t[3] = call('GET', KEYS[1])
    end
    return t
  end
  local n = string.format('%010d%06d', t[1], t[2])
  local revision, r, ahead = tonumber(s:sub(23, 38)), n, 0
  if revision >= now then
    r = string.format('%016.0f', revision + 1)
    ahead = math.ceil((revision + 1 - now) / 1000000)
    t[3] = ''
    t[4] = r
  end
  ${apply}
  return t
`;
}

/** What a removal tells: a lock that became free, say, which one of those who wait will get. */
export const REMOVED = "removed";

// Tells who watches the key, after a write that those who wait for an entry wait for: one that
// replaces or removes it. `pcall`, since what is written stays written if telling is forbidden.
const notify = (what: "" | typeof REMOVED): string =>
  `if not ARGV[5] then redis.pcall('SPUBLISH', KEYS[1], '${what}') end`;

/** KEYS[1]; ARGV: opId, stamp, ttl and value, seconds the key is kept or "", and "0" to tell nobody. */
export const REPLACE: Script = script(
  underStamp(`
  if ARGV[4] == '' then
    call('SET', KEYS[1], ARGV[1]..r..'v'..n..ARGV[3])
  else
    call('SET', KEYS[1], ARGV[1]..r..'v'..n..ARGV[3], 'EXAT', t[1] + ARGV[4] + ahead)
  end
  ${notify("")}`),
);

/**
 * KEYS[1]; ARGV: opId, stamp, value, tombstone seconds, and "0" to tell nobody. The entry expires when
 * it would have.
 */
export const REPLACE_KEEP: Script = script(
  underStamp(`
  local left = '0000000000000000'
  if ttl > 0 then left = string.format('%016.0f', at + ttl - now) end
  local packed = ARGV[1]..r..'v'..n..left..ARGV[3]
  if ttl > 0 then
    local ends = math.max(math.ceil((at + ttl) / 1000000) + 1, t[1] + ARGV[4] + ahead)
    call('SET', KEYS[1], packed, 'EXAT', ends)
  else
    call('SET', KEYS[1], packed)
  end
  ${notify("")}
  t[3] = ''
  t[4] = r
  t[5] = left`),
);

/**
 * KEYS[1]; ARGV: opId, stamp, ttl, seconds the key is kept or "". Rewrites the header in place, so
 * its cost does not grow with the value. SETRANGE comes first: it alone can fail for want of memory.
 * Should the user not be allowed the second command, the header is put back: an error means nothing done.
 */
export const TOUCH: Script = script(
  underStamp(`
  call('SETRANGE', KEYS[1], 0, ARGV[1]..r..'v'..n..ARGV[3])
  local kept
  if ARGV[4] == '' then
    kept = redis.pcall('PERSIST', KEYS[1])
  else
    kept = redis.pcall('EXPIREAT', KEYS[1], t[1] + ARGV[4] + ahead)
  end
  if type(kept) == 'table' then
    call('SETRANGE', KEYS[1], 0, s)
    return kept
  end`),
);

/**
 * KEYS[1]; ARGV: opId, stamp, "", tombstone seconds, and "0" to tell nobody. A removal frees memory,
 * so it is let through where the server is full and would refuse any other write.
 */
export const REMOVE: Script = script(
  `#!lua flags=allow-oom${underStamp(`
  call('SET', KEYS[1], ARGV[1]..r..'r'..n..'0000000000000000', 'EXAT', t[1] + ARGV[4] + ahead)
  ${notify(REMOVED)}`)}`,
);
