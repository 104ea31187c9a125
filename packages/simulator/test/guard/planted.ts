// Code as a careless author writes it: each entry touches one source that no run can repeat.

export const planted: Readonly<Record<string, () => unknown>> = {
  "Date.now()": () => Date.now(),
  "new Date()": () => new Date(),
  "Date()": () => Date(),
  "Math.random()": () => Math.random(),
  "performance.now()": () => performance.now(),
  "setTimeout()": () => setTimeout(() => {}, 0),
  "setInterval()": () => setInterval(() => {}, 1),
  "setImmediate()": () => setImmediate(() => {}),
  "crypto.randomUUID()": () => globalThis.crypto.randomUUID(),
  "crypto.getRandomValues()": () => globalThis.crypto.getRandomValues(new Uint8Array(1)),
  "AbortSignal.timeout()": () => AbortSignal.timeout(1_000),
  "performance.mark()": () => performance.mark("here"),
  "process.uptime()": () => process.uptime(),
  "process.hrtime()": () => process.hrtime(),
  "process.hrtime.bigint()": () => process.hrtime.bigint(),
};
