// Several writes in one step: one script that looks at every key before it writes the first, and
// what is sent to it. Its replies, after TIME's two parts:
//   "a", revision…          applied; one revision for each key
//   "r", revision or "0"…   replayed; "0" for a key that another write has superseded
//   "c", index, packed      refused by this key and what it holds (nil: nothing)

import type { WriteAll, WriteWithoutOpId } from "@onceproof/core/advanced";
import { packStamp, packTtl } from "./packed-entry.js";
import { type Script, script } from "./scripts.js";
import { keptSeconds } from "./write-step.js";

// ARGV: opId, "0" to tell nobody, then four for each key: the stamp expected or the highest revision
// allowed; what is done; ttl and value; seconds the key is kept or "". A script error undoes nothing,
// so whatever can fail comes first: the types of the keys, the conditions, and memory, which Redis
// judges as it stood at the start and asks of the first writing command only. With a touch there are
// several kinds of commands, which the user may not all be allowed: they are tried on its key in forms
// that change nothing, all but PERSIST, which is the first that does.
const STEPS = `
  local call = redis.call
  local t = call('TIME')
  local now = t[1] * 1000000 + t[2]
  local heads, mine = {}, false
  for i, key in ipairs(KEYS) do
    local s = call('GETRANGE', key, 0, 70)
    heads[i] = s
    mine = mine or s:sub(1, 22) == ARGV[1]
  end
  if mine then
    t[3] = 'r'
    for i, s in ipairs(heads) do
      t[3 + i] = s:sub(1, 22) == ARGV[1] and s:sub(23, 38) or '0'
    end
    return t
  end
  local touched
  for i, s in ipairs(heads) do
    local expected, kind, live, fits = ARGV[i * 4 - 1], s:byte(39), false, false
    if ARGV[i * 4] == 'touch' then touched = KEYS[i] end
    if kind == 118 then
      local ttl = tonumber(s:sub(56, 71))
      live = ttl == 0 or now < s:sub(40, 55) + ttl
    end
    if #expected == 38 then
      fits = live and s:sub(1, 38) == expected
    elseif s == '' then
      fits = not call('GET', KEYS[i])
    elseif not live and (kind == 118 or kind == 114) then
      fits = tonumber(s:sub(23, 38)) <= tonumber(expected)
    end
    if not fits then
      t[3] = 'c'
      t[4] = tostring(i - 1)
      t[5] = call('GET', KEYS[i])
      return t
    end
  end
  if touched then
    call('SETRANGE', touched, 0, '')
    call('SET', touched, '', 'NX')
    call('EXPIREAT', touched, 1, 'GT')
    for i, key in ipairs(KEYS) do
      if ARGV[i * 4] == 'touch' and ARGV[i * 4 + 2] == '' then call('PERSIST', key) end
    end
  end
  local n = string.format('%010d%06d', t[1], t[2])
  t[3] = 'a'
  for i, s in ipairs(heads) do
    local key, what, text, kept = KEYS[i], ARGV[i * 4], ARGV[i * 4 + 1], ARGV[i * 4 + 2]
    local r, ahead = n, 0
    if s ~= '' then
      local revision = tonumber(s:sub(23, 38))
      if revision >= now then
        r = string.format('%016.0f', revision + 1)
        ahead = math.ceil((revision + 1 - now) / 1000000)
      end
    end
    t[3 + i] = r
    local head = ARGV[1]..r
    local ends = kept ~= '' and t[1] + kept + ahead
    if what == 'touch' then
      call('SETRANGE', key, 0, head..'v'..n..text)
      if ends then call('EXPIREAT', key, ends) end
    else
      local packed
      if what == 'remove' then
        packed = head..'r'..n..'0000000000000000'
      elseif what == 'set' then
        packed = head..'v'..n..text
      else
        local at, ttl = tonumber(s:sub(40, 55)), tonumber(s:sub(56, 71))
        if ttl > 0 then
          packed = head..'v'..n..string.format('%016.0f', at + ttl - now)..text
          ends = math.max(math.ceil((at + ttl) / 1000000) + 1, ends)
        else
          packed = head..'v'..n..'0000000000000000'..text
          ends = false
        end
      end
      if ends then call('SET', key, packed, 'EXAT', ends) else call('SET', key, packed) end
    end
  end
  if ARGV[2] ~= '0' then
    for i, key in ipairs(KEYS) do
      local what, told = ARGV[i * 4], ''
      if what == 'remove' then told = 'removed' end
      if what ~= 'touch' and #ARGV[i * 4 - 1] == 38 then redis.pcall('SPUBLISH', key, told) end
    end
  end
  return t
`;

const WRITE_ALL: Script = script(STEPS);
/** Removals alone free memory, and pass on a server that is full. */
const REMOVE_ALL: Script = script(`#!lua flags=allow-oom${STEPS}`);

/** The script of a writeAll, and its arguments after the keys. */
export interface WriteAllCall {
  readonly script: Script;
  readonly args: readonly string[];
}

function argsOf({ expect, next }: WriteWithoutOpId, tombstoneMs: number): readonly string[] {
  const expected =
    expect === "absent"
      ? String(Number.MAX_SAFE_INTEGER)
      : "absentSince" in expect
        ? String(expect.absentSince)
        : packStamp(expect);
  if (next === "removed") {
    return [expected, "remove", "", keptSeconds(tombstoneMs, tombstoneMs)];
  }
  if ("touch" in next) {
    return [expected, "touch", packTtl(next.ttlMs), keptSeconds(next.ttlMs, tombstoneMs)];
  }
  const { value, ttlMs } = next;
  return ttlMs === "keep"
    ? [expected, "keep", value, keptSeconds(tombstoneMs, tombstoneMs)]
    : [expected, "set", packTtl(ttlMs) + value, keptSeconds(ttlMs, tombstoneMs)];
}

/** What to call for a writeAll; `tell` if waiters are told of it. */
export function writeAllCall(
  { opId, writes }: WriteAll,
  tombstoneMs: number,
  tell: boolean,
): WriteAllCall {
  return {
    script: writes.every(({ next }) => next === "removed") ? REMOVE_ALL : WRITE_ALL,
    args: [opId, tell ? "1" : "0", ...writes.flatMap((write) => argsOf(write, tombstoneMs))],
  };
}
