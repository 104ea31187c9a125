// How a runtime hands its results over: one marked line of JSON on its standard output.

const MARK = "onceproof-results:";

export const toLine = (results) => MARK + JSON.stringify(results);

/** The results in what a runtime printed, or undefined when it printed none. */
export function fromOutput(output) {
  const line = output.split("\n").find((each) => each.includes(MARK));
  return line && JSON.parse(line.slice(line.indexOf(MARK) + MARK.length));
}
