// A failure whose message already tells a person what happened and what to do: no stack needed.

export class Failure extends Error {
  constructor(message, exitCode = 1) {
    super(message);
    this.exitCode = exitCode;
  }
}
