// Colours and durations for people; plain text for pipes and NO_COLOR.

const coloured =
  process.env.FORCE_COLOR && process.env.FORCE_COLOR !== "0"
    ? true
    : !process.env.NO_COLOR && process.stdout.isTTY === true;

const wrap = (code) => (text) => (coloured ? `\u001b[${code}m${text}\u001b[0m` : String(text));

export const paint = {
  bold: wrap(1),
  dim: wrap(2),
  red: wrap(31),
  green: wrap(32),
  yellow: wrap(33),
};

/** "0.4 s", "12 s" or "3 min 05 s". */
export function duration(ms) {
  if (ms < 9_950) return `${(ms / 1000).toFixed(1)} s`;
  const seconds = Math.round(ms / 1000);
  if (seconds < 60) return `${seconds} s`;
  return `${Math.floor(seconds / 60)} min ${String(seconds % 60).padStart(2, "0")} s`;
}

/** "1 test", "2 tests". */
export const count = (n, noun) => `${n} ${noun}${n === 1 ? "" : "s"}`;
