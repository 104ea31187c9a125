// Takes the flags a task knows out of a command line; the rest belongs to the program it runs.
import { Failure } from "./failure.mjs";

/**
 * @param {string[]} argv
 * @param {{ values?: string[], switches?: string[] }} known
 * @returns {{ values: Record<string, string | undefined>, switches: Set<string>, rest: string[] }}
 */
export function takeFlags(argv, { values: valueNames = [], switches: switchNames = [] }) {
  const values = {};
  const switches = new Set();
  const rest = [];
  for (let i = 0; i < argv.length; i++) {
    const [name, inline] = splitOnce(argv[i]);
    if (switchNames.includes(name)) switches.add(name);
    else if (valueNames.includes(name)) {
      const value = inline ?? argv[++i];
      if (value === undefined) throw new Failure(`--${name} needs a value.`, 2);
      values[name] = value;
    } else rest.push(argv[i]);
  }
  return { values, switches, rest };
}

function splitOnce(argument) {
  if (!argument.startsWith("--")) return [undefined, undefined];
  const at = argument.indexOf("=");
  return at < 0 ? [argument.slice(2), undefined] : [argument.slice(2, at), argument.slice(at + 1)];
}

/** The chosen names of a comma-separated list, checked against those that exist. */
export function choose(flag, text, existing) {
  if (text === undefined) return existing;
  const chosen = text.split(",").map((name) => name.trim());
  for (const name of chosen) {
    if (!existing.includes(name)) {
      throw new Failure(`--${flag}: there is no "${name}". Known: ${existing.join(", ")}.`, 2);
    }
  }
  return existing.filter((name) => chosen.includes(name));
}

/** A flag the task does not know is a mistake where nothing takes it over. */
export function refuseRest(rest) {
  if (rest.length > 0) throw new Failure(`Unknown: ${rest.join(" ")}. See --help.`, 2);
}
