// What the user typed for a command, so that help shows what can be typed again: `onceproof verify`, or
// `npm run verify --` where npm runs a script of the command's name.

/** What stands before the options of a command. */
export function calledAs(command: string): string {
  return process.env.npm_lifecycle_event === command
    ? `npm run ${command} --`
    : `onceproof ${command}`;
}
