// For adapters: a driver's error without what it was sent. Drivers hang commands, rows and parameters
// on their errors, and with them keys and values, which must not reach a log.

/** The error's name, message and code, and nothing else of it; its own cause likewise. */
export function driverError(error: unknown): Error {
  const { name, message, code, cause } = Object(error) as Partial<Error> & { code?: unknown };
  const text = typeof message === "string" ? message : typeof error;
  const plain = new Error(text, cause === undefined ? undefined : { cause: driverError(cause) });
  plain.name = typeof name === "string" ? name : "Error";
  return typeof code === "string" ? Object.assign(plain, { code }) : plain;
}
