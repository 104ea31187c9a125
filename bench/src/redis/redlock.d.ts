// What is used of redlock 5. Its manifest hides its own declarations from NodeNext resolution.
declare module "redlock" {
  import type { Redis } from "ioredis";

  interface Settings {
    readonly retryCount?: number;
  }

  // biome-ignore lint/style/noDefaultExport: it is how redlock exports it.
  export default class Redlock {
    constructor(clients: readonly Redis[], settings?: Settings);
    on(event: "error", listener: () => void): this;
    acquire(
      resources: readonly string[],
      durationMs: number,
      settings?: Settings,
    ): Promise<{ release(): Promise<unknown> }>;
  }
}
