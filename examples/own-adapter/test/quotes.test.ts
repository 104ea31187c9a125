// The page quotes the adapter whole and the rest in parts: what it shows is what runs.
import { readFile } from "node:fs/promises";
import { expect, test } from "vitest";

const root = new URL("../../../", import.meta.url);
const ADAPTER = "examples/own-adapter/src/lmdb-store.ts";
const QUOTE = /^<!-- quoted: (\S+) -->\n```typescript\n([\s\S]*?)^```$/gm;

const read = (path: string): Promise<string> => readFile(new URL(path, root), "utf8");
const page = await read("docs/writing-an-adapter.md");
const quotes = [...page.matchAll(QUOTE)].map(([, path = "", code = ""]) => ({ path, code }));

test("the page quotes every line of the adapter, in order", async () => {
  const quoted = quotes.filter(({ path }) => path === ADAPTER).map(({ code }) => code);
  expect(quoted.join("\n")).toBe(await read(ADAPTER));
});

test("what else it quotes is in the files that it names", async () => {
  const others = quotes.filter(({ path }) => path !== ADAPTER);
  expect(others.length).toBeGreaterThan(1);
  for (const { path, code } of others) {
    expect((await read(path)).includes(code), `${path}: ${code}`).toBe(true);
  }
});

test("nothing is shown as TypeScript that is neither quoted nor executed", () => {
  expect(page.match(/^```typescript$/gm)?.length).toBe(quotes.length);
});

test("the adapter has fewer than 150 lines", async () => {
  expect((await read(ADAPTER)).split("\n").length - 1).toBeLessThan(150);
});
