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
export { type BuiltProgram, buildProgram, type ProgramSources } from "./build-program.js";
export type { ClockControl } from "./clock-shim.js";
export { type DrivenClock, drivenClock } from "./driven-clock.js";
export { type HurriedTime, hurriedTime } from "./hurried-time.js";
export { missing, type ServerName } from "./missing.js";
export { fieldsOf, redisCommand } from "./redis-admin.js";
export type { TestServer } from "./server.js";
export { type MariadbOptions, type MariadbServer, startMariadb } from "./start-mariadb.js";
export { type PgbouncerOptions, startPgbouncer } from "./start-pgbouncer.js";
export { type PostgresOptions, type PostgresServer, startPostgres } from "./start-postgres.js";
export { type RedisOptions, startRedis } from "./start-redis.js";
export {
  type ClusterNode,
  type RedisCluster,
  type RedisClusterOptions,
  startRedisCluster,
} from "./start-redis-cluster.js";
export {
  type RedisSentinel,
  type RedisSentinelOptions,
  SENTINEL_MASTER,
  startRedisSentinel,
} from "./start-redis-sentinel.js";
export { startValkey } from "./start-valkey.js";
export { type Rule, startTcpProxy, type TcpProxy, type Verdict } from "./tcp-proxy.js";
export { makeTestFolder, type TestFolder } from "./temp-folder.js";
export { until } from "./until.js";
