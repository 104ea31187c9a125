// Debian's backports for the length of one installation: some servers that the tests start came to
// Debian after the release that the machine runs. No host is named: it is that of the machine's own
// sources. Backports rank below the release, so a package that the release has is still taken from it.
import {
  cpSync,
  existsSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

const SOURCES = "/etc/apt";

/**
 * Calls `use` with the arguments that let apt-get see the backports; none on other systems.
 *
 * @template T
 * @param {(args: string[]) => Promise<T>} use
 * @returns {Promise<T>}
 */
export async function withBackports(use) {
  const backports = backportSources(codename(), readSources());
  if (backports === "") return await use([]);
  const parts = mkdtempSync(join(tmpdir(), "onceproof-apt-"));
  try {
    const own = join(SOURCES, "sources.list.d");
    if (existsSync(own)) cpSync(own, parts, { recursive: true });
    const style = /^Types:/m.test(backports) ? "sources" : "list";
    writeFileSync(join(parts, `onceproof-backports.${style}`), backports);
    return await use(["-o", `Dir::Etc::sourceparts=${parts}`]);
  } finally {
    rmSync(parts, { recursive: true, force: true });
  }
}

/** The release of Debian, such as "bookworm"; undefined on another system. */
function codename() {
  const file = "/etc/os-release";
  const text = existsSync(file) ? readFileSync(file, "utf8") : "";
  return /^ID="?debian"?$/m.test(text) ? /^VERSION_CODENAME="?(\w+)/m.exec(text)?.[1] : undefined;
}

function readSources() {
  const folder = join(SOURCES, "sources.list.d");
  const files = existsSync(folder) ? readdirSync(folder).map((name) => join(folder, name)) : [];
  return [join(SOURCES, "sources.list"), ...files]
    .filter((file) => /\.(list|sources)$/.test(file) && existsSync(file))
    .map((file) => readFileSync(file, "utf8"));
}

/**
 * The source of the release's own backports, made of the release's own source.
 *
 * @param {string | undefined} release
 * @param {readonly string[]} texts of the machine's source files
 */
export function backportSources(release, texts) {
  if (release === undefined) return "";
  const backports = `${release}-backports`;
  if (texts.some((text) => text.replace(/^#.*$/gm, "").includes(backports))) return "";
  for (const text of texts) {
    for (const stanza of text.split(/\n\s*\n/)) {
      const suites = new RegExp(`^Suites:.*\\b${release}(?![\\w-]).*$`, "m");
      if (/^Types:.*\bdeb\b/m.test(stanza) && suites.test(stanza)) {
        return `${stanza.replace(suites, `Suites: ${backports}`).trim()}\n`;
      }
    }
    const line = new RegExp(`^deb\\s.*\\s${release}\\s.*$`, "m").exec(text)?.[0];
    if (line !== undefined) {
      return `${line.replace(new RegExp(`\\s${release}\\s`), ` ${backports} `)}\n`;
    }
  }
  return "";
}
