// Asks the system for a free TCP port, and gives none twice: the system may, while what was to listen
// on the first is still starting. Another process may take it first, so callers try again.
import { createServer } from "node:net";

const given = new Set<number>();

export async function freePort(): Promise<number> {
  for (;;) {
    const port = await askSystem();
    if (!given.has(port)) {
      given.add(port);
      return port;
    }
  }
}

function askSystem(): Promise<number> {
  return new Promise((resolve, reject) => {
    const server = createServer();
    server.once("error", reject);
    server.listen(0, "127.0.0.1", () => {
      const address = server.address();
      const port = typeof address === "object" && address !== null ? address.port : 0;
      server.close(() => resolve(port));
    });
  });
}
