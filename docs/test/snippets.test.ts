// Runs every TypeScript snippet of the documentation, and compares what it prints with its
// `// prints:` lines. A snippet that needs a server is fenced as `ts no-run` and only exists to read.

import { mkdir, readdir, readFile, rm, writeFile } from "node:fs/promises";
import { fileURLToPath } from "node:url";
import { inspect } from "node:util";
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
afterAll(() => rm(folder, { recursive: true, force: true }));

describe("the documentation's snippets", () => {
  it("are found where they are expected", () => {
    const files = new Set(all.map(({ title }) => title.split(":")[0]));
    expect([...files]).toEqual(expect.arrayContaining(["README.md", "packages/core/README.md"]));
  });

  it.each(all)("$title runs and prints what it says", async ({ title, code }) => {
    const file = `${folder}/${title.replaceAll(/[^a-z0-9]+/gi, "-")}.ts`;
    await writeFile(file, code);
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
    }
    const said = [...code.matchAll(/^\/\/ prints: (.*)$/gm)].map((match) => match[1]);
    expect(printed).toEqual(said);
  });
});
