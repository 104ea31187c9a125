// A process that owns a Redis and ends in the way its argument says; prints the server's pid.
import { startRedis } from "../src/start-redis.js";

const server = await startRedis();
console.log(server.pid);
// Time for the reader to see the server alive.
setTimeout(() => {
  if (process.argv[2] === "exit") process.exit(3);
  if (process.argv[2] === "throw") throw new Error("on purpose");
}, 500);
setInterval(() => undefined, 1_000);
