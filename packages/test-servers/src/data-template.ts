// Data folders that take seconds to make are made once by each version of a server and copied from
// then on: a test run starts such servers some fifty times.
import { execFile } from "node:child_process";
import { createHash, randomUUID } from "node:crypto";
import { existsSync, mkdirSync, renameSync, rmSync, statSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { commandAs, type User } from "./unprivileged.js";

const execute = promisify(execFile);
const TEMPLATES = fileURLToPath(new URL("../../../.cache/servers", import.meta.url));

export interface DataMaker {
  /** The server's own program, which tells one version from another. */
  readonly server: string;
  readonly user: User | "self";
  readonly program: string;
  /** What makes the folder `data` in the server's folder with this program. */
  args(folder: string): readonly string[];
}

/** Makes the folder `data` in the server's folder. */
export async function makeData(folder: string, maker: DataMaker): Promise<void> {
  const data = join(folder, "data");
  const template = join(TEMPLATES, idOf(maker));
  if (existsSync(template)) {
    await copy(template, data);
    return;
  }
  const command = commandAs(maker.user, maker.program, maker.args(folder));
  await execute(command.file, command.args, { cwd: folder });
  await keep(data, template);
}

function idOf({ server, user, program, args }: DataMaker): string {
  const { mtimeMs, size } = statSync(server);
  const facts = JSON.stringify([server, mtimeMs, size, user, program, args("a folder")]);
  return createHash("sha256").update(facts).digest("hex").slice(0, 16);
}

/** Moved there in one step, so that nobody copies half of it; another process may be first. */
async function keep(data: string, template: string): Promise<void> {
  const own = `${template}-${randomUUID()}`;
  mkdirSync(TEMPLATES, { recursive: true });
  await copy(data, own);
  try {
    renameSync(own, template);
  } catch {
    rmSync(own, { recursive: true, force: true });
  }
}

/** With owners and permissions, on which servers insist. */
async function copy(from: string, to: string): Promise<void> {
  await execute("cp", ["-a", from, to]);
}
