// The examples of each README in plain JavaScript, over real servers, compared with what they say they
// print. Tests of the docs run them too, but on the sources.
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { tsImport } from "tsx/esm/api";
import { runNode } from "../lib/child.mjs";
import { write } from "./project.mjs";

const END = "-- the end of an example --";
const PATIENCE_MS = 60_000;

const servers = [
  { name: "redis", url: "redis://localhost:6379", start: "startRedis" },
  { name: "postgres", url: "postgres://localhost:5432/postgres", start: "startPostgres" },
  { name: "mariadb", url: "mysql://root@localhost:3306/app", start: "startMariadb" },
];

/** The TypeScript examples of an installed package's README. */
export function examplesOf({ folder }) {
  const text = readFileSync(join(folder, "README.md"), "utf8");
  return [...text.matchAll(/^```ts\n([\s\S]*?)^```$/gm)].map((match) => ({
    line: text.slice(0, match.index).split("\n").length,
    code: match[1],
  }));
}

/** @param {import("./project.mjs").Project} project */
export async function exampleChecks({ folder, packages }) {
  const testServers = await tsImport("../../packages/test-servers/src/index.ts", import.meta.url);
  return packages.map((each) => {
    const examples = examplesOf(each);
    const needed = servers.filter(({ url }) => examples.some(({ code }) => code.includes(url)));
    const skip = needed.map(({ name }) => testServers.missing(name)).find(Boolean);
    const title = `${each.name}: the examples of its README run in plain JavaScript`;
    return { title, skip, run: () => runAll(folder, each, examples, needed, testServers) };
  });
}

async function runAll(folder, { name }, examples, needed, testServers) {
  if (examples.length === 0) throw new Error("its README has no example");
  const started = [];
  try {
    for (const { url, start } of needed) {
      started.push({ url, server: await testServers[start]() });
    }
    const file = await asJavaScript(folder, name, examples, started);
    const printed = await printedBy(folder, file);
    const said = examples.map(({ code }) => saidIn(code));
    for (const [at, { line }] of examples.entries()) {
      if (printed[at] !== said[at]) {
        throw new Error(`line ${line} says it prints\n${said[at]}\nand prints\n${printed[at]}`);
      }
    }
  } finally {
    for (const { server } of started) await server.stop();
  }
}

/** One program that imports one example after the other. */
async function asJavaScript(folder, name, examples, started) {
  const { transform } = await import("esbuild");
  const stem = name.split("/")[1];
  const lines = [];
  for (const { line, code } of examples) {
    const here = started.reduce((text, { url, server }) => text.replace(url, server.url), code);
    const { code: plain } = await transform(here, { loader: "ts", target: "es2022" });
    write(folder, `${stem}-${line}.js`, plain);
    lines.push(`await import("./${stem}-${line}.js");\nconsole.log(${JSON.stringify(END)});\n`);
  }
  return write(folder, `${stem}.js`, lines.join(""));
}

async function printedBy(folder, file) {
  // It has to end by itself: a timer or socket that is left behind would keep a user's process up.
  const alive = ["--import", `data:text/javascript,${encodeURIComponent(watchdog)}`];
  const { code, stdout, output } = await runNode(alive[0], [alive[1], file], {
    cwd: folder,
    capture: true,
    env: { NO_COLOR: "1" },
  });
  if (code !== 0) throw new Error(output);
  return stdout.split(`${END}\n`).map((text) => text.trimEnd());
}

const watchdog = `setTimeout(() => {
  console.error("it did not end by itself");
  process.exit(1);
}, ${PATIENCE_MS}).unref();`;

const saidIn = (code) =>
  [...code.matchAll(/^\/\/ prints: (.*)$/gm)].map((match) => match[1].trimEnd()).join("\n");
