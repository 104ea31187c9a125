// A Prisma client without models, made as `prisma generate` makes one: the generator itself would
// have to download engines that a client with a driver adapter does not use.
import { createRequire } from "node:module";
import { dirname, join } from "node:path";
import { PrismaPg } from "@prisma/adapter-pg";

/** What is used of Prisma inside a transaction. */
export interface PrismaTransaction {
  $queryRawUnsafe<T>(text: string, ...values: unknown[]): Promise<T>;
  $executeRawUnsafe(text: string, ...values: unknown[]): Promise<number>;
}

export interface PrismaClient {
  $transaction<T>(fn: (tx: PrismaTransaction) => Promise<T>): Promise<T>;
  $disconnect(): Promise<void>;
}

const SCHEMA = 'datasource db {\n  provider = "postgresql"\n  url = "postgres://"\n}\n';

export function openPrisma(connection: object): PrismaClient {
  const require = createRequire(import.meta.url);
  const folder = join(dirname(require.resolve("@prisma/client/package.json")), "runtime");
  const { getPrismaClient } = require("@prisma/client/runtime/client");
  const compiler = join(folder, "query_compiler_bg.postgresql");
  const Client = getPrismaClient({
    generator: { config: { engineType: "client" }, previewFeatures: [] },
    relativePath: "",
    dirname: folder,
    ...{ clientVersion: "6.19.3", engineVersion: "0".repeat(40) },
    ...{ datasourceNames: ["db"], activeProvider: "postgresql" },
    inlineDatasources: { db: { url: { fromEnvVar: null, value: "postgres://" } } },
    ...{ inlineSchema: SCHEMA, inlineSchemaHash: "" },
    runtimeDataModel: { models: {}, enums: {}, types: {} },
    compilerWasm: {
      getRuntime: async () => require(`${compiler}.js`),
      async getQueryCompilerWasmModule() {
        const { wasm } = require(`${compiler}.wasm-base64.js`);
        const { Module } = Reflect.get(globalThis, "WebAssembly");
        return new Module(Buffer.from(wasm, "base64"));
      },
    },
  });
  return new Client({ adapter: new PrismaPg({ ...connection }) });
}
