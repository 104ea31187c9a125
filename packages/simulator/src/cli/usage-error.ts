// What a person asked for cannot be done as it was asked: exit code 2, and no stack trace.

export class UsageError extends Error {
  override readonly name = "UsageError";
}
