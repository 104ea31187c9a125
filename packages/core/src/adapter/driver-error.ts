// For adapters: a driver's error without what it was sent. Drivers hang commands, rows and parameters
// on their errors, and with them keys and values, which must not reach a log.

/**
 * What it says. Node's error for a host of several addresses, as localhost often is, has no message of its own,
 * but theirs; without this a server that is down would be told without a word.
 */
function textOf(error: unknown): string {
  const { message, errors, code } = Object(error) as Partial<AggregateError> & { code?: unknown };
  if (typeof message !== "string") {
    return typeof error;
  }
  const inner = message === "" && Array.isArray(errors) ? errors.map(textOf).join(", ") : message;
  return inner === "" && typeof code === "string" ? code : inner;
}

/** The error's name, message and code, and nothing else of it; its own cause likewise. */
export function driverError(error: unknown): Error {
  const { name, code, cause } = Object(error) as Partial<Error> & { code?: unknown };
  const options = cause === undefined ? undefined : { cause: driverError(cause) };
  const plain = new Error(textOf(error), options);
  plain.name = typeof name === "string" ? name : "Error";
  return typeof code === "string" ? Object.assign(plain, { code }) : plain;
}
