// Postgres refuses to run as root: as root, its programs run as the user postgres instead.
import { execFileSync } from "node:child_process";
import { onPath } from "./find.mjs";

export interface User {
  readonly uid: number;
  readonly gid: number;
}

let found: User | "self" | "none" | undefined;

/** Whom to run Postgres as: ourselves, the user postgres, or nobody that will do. */
export function unprivilegedUser(): User | "self" | "none" {
  found ??= find();
  return found;
}

function find(): User | "self" | "none" {
  if (process.getuid?.() !== 0) return "self";
  if (onPath("setpriv") === undefined) return "none";
  try {
    const id = (flag: string): number =>
      Number(execFileSync("id", [flag, "postgres"], { stdio: ["ignore", "pipe", "ignore"] }));
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
