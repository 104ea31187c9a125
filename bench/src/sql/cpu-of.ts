// The CPU time of a server's processes, where the system tells it (Linux).

import { readdirSync, readFileSync } from "node:fs";

function read(file: string): string {
  try {
    return readFileSync(file, "utf8");
  } catch {
    // A process that has ended meanwhile.
    return "";
  }
}

function tasksOf(pid: string): readonly string[] {
  try {
    return readdirSync(`/proc/${pid}/task`);
  } catch {
    return [];
  }
}

/** Nanoseconds that a process has run, in all its threads. */
function ranNs(pid: string): number {
  const times = tasksOf(pid).map((task) => read(`/proc/${pid}/task/${task}/schedstat`));
  return times.reduce((sum, time) => sum + Number(time.split(" ")[0] ?? 0), 0);
}

/** CPU time of a process and its children, in microseconds; NaN where nobody tells. */
export function cpuUsOf(pid: number): number {
  const root = String(pid);
  const children = read(`/proc/${root}/task/${root}/children`).split(" ").filter(Boolean);
  const ns = [root, ...children].reduce((sum, each) => sum + ranNs(each), 0);
  return ns === 0 ? Number.NaN : ns / 1000;
}
