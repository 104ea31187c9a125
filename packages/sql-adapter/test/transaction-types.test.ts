// The handle of a transaction has the type that its driver gives it, so that the user's own
// statements are checked as ever.
import type { PGlite, Transaction } from "@electric-sql/pglite";
import { createTransactionalDedup } from "@onceproof/core";
import {
  createSqliteStore,
  type MysqlTransactionOf,
  type PostgresTransactionOf,
} from "@onceproof/sql-adapter";
import type Database from "libsql";
import type { Pool as MariadbPool, PoolConnection as MariadbPoolConnection } from "mariadb";
import type { Pool as CallbackPool } from "mysql2";
import type { Connection, Pool as Mysql2Pool, PoolConnection } from "mysql2/promise";
import type pg from "pg";
import type { Sql, TransactionSql } from "postgres";
import { expect, expectTypeOf, test } from "vitest";
import { openDatabase } from "./support/sqlite-driver.js";
import { newFile } from "./support/sqlite-files.js";

test("each driver's own", () => {
  expectTypeOf<PostgresTransactionOf<pg.Pool>>().toEqualTypeOf<pg.PoolClient>();
  expectTypeOf<PostgresTransactionOf<pg.Client>>().toEqualTypeOf<pg.Client>();
  expectTypeOf<PostgresTransactionOf<Sql>>().toEqualTypeOf<TransactionSql>();
  expectTypeOf<PostgresTransactionOf<PGlite>>().toEqualTypeOf<Transaction>();
  expectTypeOf<MysqlTransactionOf<Mysql2Pool>>().toEqualTypeOf<PoolConnection>();
  expectTypeOf<MysqlTransactionOf<CallbackPool>>().toEqualTypeOf<PoolConnection>();
  expectTypeOf<MysqlTransactionOf<Connection>>().toEqualTypeOf<Connection>();
  expectTypeOf<MysqlTransactionOf<MariadbPool>>().toEqualTypeOf<MariadbPoolConnection>();
});

test("a dedup knows it from its store", () => {
  const { file, remove } = newFile();
  const database = openDatabase(file) as unknown as Database.Database;
  const store = createSqliteStore({ database });
  const dedup = createTransactionalDedup({ store, name: "types", onCrash: "park" });
  expectTypeOf(dedup.runInTransaction<number>)
    .parameter(1)
    .parameter(0)
    .toEqualTypeOf<Database.Database>();
  expect(dedup.runInTransaction).toBeTypeOf("function");
  database.close();
  remove();
});
