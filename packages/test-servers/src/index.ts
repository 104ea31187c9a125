export {
  type DedupRace,
  type DedupRaceResult,
  type LockRace,
  type LockRaceResult,
  raceDedup,
  raceLock,
} from "./algorithm-workloads.js";
export {
  type AppendLog,
  type AppendOptions,
  appendFromAll,
  judgeAppends,
  newOpId,
} from "./append-workload.js";
export type { ClockControl } from "./clock-shim.js";
export { missing, type ServerName } from "./missing.js";
export type { TestServer } from "./server.js";
export { type PostgresOptions, type PostgresServer, startPostgres } from "./start-postgres.js";
export { type RedisOptions, startRedis } from "./start-redis.js";
export { type Rule, startTcpProxy, type TcpProxy, type Verdict } from "./tcp-proxy.js";
