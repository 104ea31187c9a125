// Runs every TypeScript snippet of the documentation, and compares what it prints with its
// `// prints:` lines. A snippet that names a server on its usual port gets a private one.

import { access, mkdir, readdir, readFile, rm, writeFile } from "node:fs/promises";
import { fileURLToPath, pathToFileURL } from "node:url";
import { inspect } from "node:util";
import {
  missing,
  type PostgresServer,
  type ServerName,
  startMariadb,
  startPostgres,
  startRedis,
} from "@onceproof/test-servers";
import pg from "pg";
import { afterAll, describe, expect, it, vi } from "vitest";

const root = fileURLToPath(new URL("../..", import.meta.url));
const folder = `${root}.cache/snippets`;

async function documents(): Promise<string[]> {
  const top = ["README.md", "CONTRIBUTING.md", "SECURITY.md"];
  const docs = (await readdir(`${root}docs`, { recursive: true })).map((name) => `docs/${name}`);
  const packages = await readdir(`${root}packages`);
  const readmes = packages.map((name) => `packages/${name}/README.md`);
  return [...top, ...docs.filter((name) => name.endsWith(".md")), ...readmes].sort();
}

interface Snippet {
  readonly title: string;
  readonly code: string;
}

/** The addresses under which snippets name a server, and what starts a private one. */
const servers: readonly {
  readonly name: ServerName;
  readonly url: string;
  readonly start: () => Promise<{ url: string; stop(): Promise<void> }>;
}[] = [
  { name: "redis", url: "redis://localhost:6379", start: () => startRedis() },
  { name: "postgres", url: "postgres://localhost:5432/postgres", start: newDatabase },
  { name: "mariadb", url: "mysql://root@localhost:3306/app", start: () => startMariadb() },
];

let postgres: Promise<PostgresServer> | undefined;
let databases = 0;

/** A database of its own on a Postgres that all share, which takes longest to start. */
async function newDatabase(): Promise<{ url: string; stop(): Promise<void> }> {
  postgres ??= startPostgres();
  const server = await postgres;
  databases += 1;
  const name = `snippet${databases}`;
  const admin = new pg.Client(server.connection);
  await admin.connect();
  await admin.query(`CREATE DATABASE ${name}`);
  await admin.end();
  return { url: server.url.replace(/[^/]+$/, name), stop: async () => {} };
}

async function snippets(): Promise<Snippet[]> {
  const found: Snippet[] = [];
  for (const name of await documents()) {
    const text = await readFile(root + name, "utf8").catch(() => "");
    for (const match of text.matchAll(/^```ts\n([\s\S]*?)^```$/gm)) {
      const line = text.slice(0, match.index).split("\n").length;
      found.push({ title: `${name}:${line}`, code: match[1] ?? "" });
    }
  }
  return found;
}

const all = await snippets();
await mkdir(folder, { recursive: true });
afterAll(async () => {
  await (await postgres)?.stop();
  await rm(folder, { recursive: true, force: true });
});

describe("the documentation's snippets", () => {
  it("are found where they are expected", () => {
    const files = new Set(all.map(({ title }) => title.split(":")[0]));
    expect([...files]).toEqual(expect.arrayContaining(["README.md", "packages/core/README.md"]));
  });

  for (const { title, code } of all) {
    const named = servers.find(({ url }) => code.includes(url));
    it.skipIf(named && missing(named.name))(`${title} runs and prints what it says`, async () => {
      const server = await named?.start();
      const file = `${folder}/${title.replaceAll(/[^a-z0-9]+/gi, "-")}.ts`;
      await writeFile(file, server && named ? code.replace(named.url, server.url) : code);
      const printed: string[] = [];
      const log = vi.spyOn(console, "log").mockImplementation((...values: unknown[]) => {
        printed.push(
          values.map((value) => (typeof value === "string" ? value : inspect(value))).join(" "),
        );
      });
      try {
        await import(/* @vite-ignore */ file);
      } finally {
        log.mockRestore();
        await server?.stop();
      }
      const said = [...code.matchAll(/^\/\/ prints: (.*)$/gm)].map((match) => match[1]);
      expect(printed).toEqual(said);
    });
  }
});

describe("the documentation's links", () => {
  it("lead to files that exist", async () => {
    const broken: string[] = [];
    for (const name of await documents()) {
      const text = await readFile(root + name, "utf8").catch(() => "");
      for (const [, target = ""] of text.matchAll(/\]\((?!https?:|#)([^)#]+)[^)]*\)/g)) {
        const path = new URL(target, pathToFileURL(root + name)).pathname;
        await access(path).catch(() => broken.push(`${name} -> ${target}`));
      }
    }
    expect(broken).toEqual([]);
  });
});
