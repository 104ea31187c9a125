// Postgres and MariaDB refuse to run as root: as root, they run as the user that their packages make.
import { execFileSync } from "node:child_process";
import { onPath } from "./find.mjs";

export interface User {
  readonly uid: number;
  readonly gid: number;
}

const found = new Map<string, User | "self" | "none">();

/** Whom to run a server as: ourselves, the user of that name, or nobody that will do. */
export function unprivilegedUser(name: string): User | "self" | "none" {
  const user = found.get(name) ?? find(name);
  found.set(name, user);
  return user;
}

function find(name: string): User | "self" | "none" {
  if (process.getuid?.() !== 0) return "self";
  if (onPath("setpriv") === undefined) return "none";
  try {
    const id = (flag: string): number =>
      Number(execFileSync("id", [flag, name], { stdio: ["ignore", "pipe", "ignore"] }));
    return { uid: id("-u"), gid: id("-g") };
  } catch {
    return "none";
  }
}

/** The command that runs `program` as `user`; with `dieWithParent`, the kernel ties it to us. */
export function commandAs(
  user: User | "self",
  program: string,
  args: readonly string[],
  { dieWithParent = false }: { dieWithParent?: boolean } = {},
): { file: string; args: string[] } {
  const setpriv = process.platform === "linux" ? onPath("setpriv") : undefined;
  const flags = [
    ...(user === "self" ? [] : [`--reuid=${user.uid}`, `--regid=${user.gid}`, "--init-groups"]),
    // However we end, even by SIGKILL, the server ends too.
    ...(dieWithParent ? ["--pdeathsig", "KILL"] : []),
  ];
  if (setpriv === undefined || flags.length === 0) return { file: program, args: [...args] };
  return { file: setpriv, args: [...flags, program, ...args] };
}
