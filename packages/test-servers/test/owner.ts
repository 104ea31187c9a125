// A process that owns a Redis and, once it is told to by a line, ends in the way its argument says;
// prints the server's pid.
import { startRedis } from "../src/start-redis.js";

const server = await startRedis();
console.log(server.pid);
process.stdin.once("data", () => {
  if (process.argv[2] === "exit") process.exit(3);
  throw new Error("on purpose");
});
