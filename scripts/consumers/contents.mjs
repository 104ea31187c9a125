// What is in the tarballs: all that is named, nothing that nobody reaches, nothing of this machine.
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { homedir } from "node:os";
import { dirname, join, relative, sep } from "node:path";
import { root } from "../lib/paths.mjs";

const ALWAYS = ["LICENSE", "README.md", "package.json"];
// How one file of a package names another: imports, workers, data, source maps.
const NAMED = /["'](\.{1,2}\/[^"'\n]+)["']|sourceMappingURL=(\S+)/g;

/** @param {import("./project.mjs").Project} project */
export function contentChecks({ packages }) {
  return [
    ...packages.map((each) => ({
      title: `${each.name}: its tarball holds what it should and no more`,
      run: async () => problems(contentProblems(each)),
    })),
    {
      title: "the packages share one copy of core",
      run: async () =>
        problems(
          packages
            .filter(({ folder }) => existsSync(join(folder, "node_modules", "@onceproof")))
            .map(({ name }) => `${name} brings a core of its own`),
        ),
    },
  ];
}

function contentProblems({ folder, manifest }) {
  const files = new Set(
    readdirSync(folder, { recursive: true, withFileTypes: true })
      .filter((entry) => entry.isFile())
      .map((entry) => relative(folder, join(entry.parentPath, entry.name)).replaceAll(sep, "/"))
      .filter((file) => !file.startsWith("node_modules/")),
  );
  const starts = [...ALWAYS, ...targets(manifest.exports), ...targets(manifest.bin ?? {})];
  const reached = reach(folder, files, starts);
  const source = readFileSync(join(folder, "package.json"), "utf8");
  return [
    ...starts.filter((file) => !files.has(file)).map((file) => `${file} is missing`),
    ...[...files].filter((file) => !reached.has(file)).map((file) => `nobody reaches ${file}`),
    ...[...files].flatMap((file) => machineIn(folder, file)),
    ...(/"(workspace|catalog|file|link):/.test(source) ? ["package.json names the workspace"] : []),
  ];
}

/** Every file that a manifest's `exports` or `bin` names. */
const targets = (value) =>
  typeof value === "string"
    ? [value.replace("./", "")]
    : Object.values(value ?? {}).flatMap(targets);

function reach(folder, files, starts) {
  const reached = new Set(starts.filter((file) => files.has(file)));
  for (const file of reached) {
    if (!/\.[cm]?[jt]s$/.test(file)) continue;
    const text = readFileSync(join(folder, file), "utf8");
    for (const [, quoted, map] of text.matchAll(NAMED)) {
      const named = join(dirname(file), quoted ?? map).replaceAll(sep, "/");
      // A declaration names the JavaScript that it declares.
      for (const each of [named, named.replace(/\.js$/, ".d.ts")]) {
        if (files.has(each)) reached.add(each);
      }
    }
  }
  return reached;
}

function machineIn(folder, file) {
  const text = readFileSync(join(folder, file), "utf8");
  const found = [root, homedir()].filter((path) => path.length > 1 && text.includes(`${path}/`));
  const sources = file.endsWith(".map") ? JSON.parse(text).sources : [];
  return [
    ...found.map((path) => `${file} holds the path ${path}`),
    ...sources
      .filter((path) => !/^\.\.?\//.test(path))
      .map((path) => `${file} names the source ${path}`),
  ];
}

/** Throws what was found, if anything. */
export function problems(list) {
  if (list.length > 0) throw new Error(list.slice(0, 20).join("\n"));
}
