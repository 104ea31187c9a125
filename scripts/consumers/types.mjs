// Whether the types are found and hold: every entry point in strict programs that check the
// libraries' declarations too, as nodenext and bundlers resolve them, in the oldest and newest TypeScript.
import { copyFileSync, mkdirSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { runNode } from "../lib/child.mjs";
import { fromRoot } from "../lib/paths.mjs";
import { problems } from "./contents.mjs";
import { examplesOf } from "./examples.mjs";
import { readManifest, write } from "./project.mjs";

const fixtures = fileURLToPath(new URL("./fixtures", import.meta.url));

const strict = {
  strict: true,
  exactOptionalPropertyTypes: true,
  noUncheckedIndexedAccess: true,
  skipLibCheck: false,
  // TypeScript's own libraries are not what is tried here.
  skipDefaultLibCheck: true,
  noEmit: true,
  target: "es2022",
};
const nodenext = { ...strict, module: "nodenext", types: ["node"] };
const bundler = { ...strict, module: "esnext", moduleResolution: "bundler", types: ["node"] };
// The clients' own declarations take longer than all the rest, so one program checks them.
const unchecked = { skipLibCheck: true };

const own = ["uses.ts", "entries.ts"];
const withClients = [...own, "clients.ts", "examples/*.ts"];

const programs = [
  { name: "nodenext", files: [...withClients, "required.cts"], options: nodenext, newest: true },
  { name: "nodenext", files: [...own, "required.cts"], options: nodenext, oldest: true },
  { name: "bundler", files: own, options: bundler, newest: true, oldest: true },
  {
    name: "bundler, with every client",
    files: withClients,
    options: { ...bundler, ...unchecked },
    newest: true,
  },
  {
    name: "nodenext, with every client",
    files: withClients,
    options: { ...nodenext, ...unchecked },
    oldest: true,
  },
  {
    // Without Node's types, what core says of AbortSignal and Symbol.asyncDispose is the browser's.
    name: "bundler, for a browser",
    files: ["browser.ts"],
    options: { ...bundler, lib: ["es2022", "esnext.disposable", "dom"], types: [] },
    newest: true,
  },
];

/** @param {import("./project.mjs").Project} project */
export function typeChecks(project) {
  const folder = join(project.folder, "types");
  prepare(folder, project.packages);
  const newest = fromRoot("node_modules", "typescript");
  const oldest = join(project.folder, "node_modules", "typescript5");
  const runs = programs.flatMap((program) => [
    ...(program.newest ? [{ compiler: newest, program }] : []),
    ...(program.oldest ? [{ compiler: oldest, program }] : []),
  ]);
  return [
    ...runs.map(({ compiler, program }) => ({
      title: `TypeScript ${readManifest(compiler).version} takes the types: ${program.name}`,
      run: () => compile(folder, compiler, program),
    })),
    {
      title: "every entry point is used by a TypeScript program",
      run: async () => problems(unused(project.packages)),
    },
  ];
}

function prepare(folder, packages) {
  mkdirSync(join(folder, "examples"), { recursive: true });
  for (const file of readdirSync(fixtures)) copyFileSync(join(fixtures, file), join(folder, file));
  const entries = packages.flatMap((each) => each.entries);
  const imports = entries.map((entry, at) => `export * as entry${at} from "${entry}";\n`);
  write(folder, "entries.ts", imports.join(""));
  for (const each of packages) {
    for (const { line, code } of examplesOf(each)) {
      write(folder, `examples/${each.name.split("/")[1]}-${line}.ts`, code);
    }
  }
}

function unused(packages) {
  const files = ["uses.ts", "clients.ts"].map((name) => readFileSync(join(fixtures, name), "utf8"));
  return packages
    .flatMap((each) => each.entries)
    .filter((entry) => !files.some((text) => text.includes(`from "${entry}"`)))
    .map((entry) => `nothing in scripts/consumers/fixtures uses ${entry}`);
}

async function compile(folder, compiler, { name, files, options }) {
  const major = readManifest(compiler).version.split(".")[0];
  const config = `tsconfig.${name.replaceAll(/\W+/g, "-")}.${major}.json`;
  write(folder, config, { compilerOptions: options, include: files });
  const args = ["--project", config, "--pretty", "false"];
  const { code, output } = await runNode(join(compiler, "lib", "tsc.js"), args, {
    cwd: folder,
    capture: true,
  });
  if (code !== 0) throw new Error(output.split("\n").slice(0, 30).join("\n"));
}
