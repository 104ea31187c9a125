// For adapters over several servers: which keys core writes in one step, so that an adapter can
// keep them together. It stands here because the layout of a key is core's own (store-key.ts).

const COLON = 0x3a;
const ZERO = 0x30;
const NINE = 0x39;

/** Where the length-prefixed part that starts here ends; -1 if none does. */
function partEnd(key: string, start: number): number {
  let length = 0;
  for (let at = start; at < key.length; at += 1) {
    const unit = key.charCodeAt(at);
    if (unit === COLON && at > start) {
      const end = at + 1 + length;
      return end <= key.length ? end : -1;
    }
    if (unit < ZERO || unit > NINE) {
      return -1;
    }
    length = length * 10 + unit - ZERO;
  }
  return -1;
}

/**
 * The leading part of a store key that names an entity: namespace, algorithm and the entity's key.
 *
 * Guarantee: an entity (of a state machine or a register) and its requests share it, and it can be
 * told apart from what follows. Undefined for keys that core did not make, and for those of a unique
 * insert, which belong to no entity.
 * Cost: no store call.
 */
export function entityKeyOf(key: string): string | undefined {
  const name = partEnd(key, 0);
  const algorithm = name < 0 ? -1 : partEnd(key, name);
  const entity = algorithm < 0 ? -1 : partEnd(key, algorithm);
  return entity < 0 || key.slice(name, algorithm).endsWith(":uniqueInsert")
    ? undefined
    : key.slice(0, entity);
}
