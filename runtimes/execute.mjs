// Runs a program to its end, within a time limit, and returns what it printed.
import { spawn } from "node:child_process";

const LIMIT_MS = 30_000;

export function execute(file, args, { cwd } = {}) {
  return new Promise((resolve, reject) => {
    const child = spawn(file, args, { cwd, stdio: ["ignore", "pipe", "pipe"] });
    let output = "";
    const timer = setTimeout(() => child.kill("SIGKILL"), LIMIT_MS);
    for (const stream of [child.stdout, child.stderr]) {
      stream.on("data", (chunk) => {
        output += chunk;
      });
    }
    child.once("error", reject);
    child.once("close", (code, signal) => {
      clearTimeout(timer);
      if (code === 0) return resolve(output);
      reject(new Error(`${file} ended with ${signal ?? `code ${code}`}:\n${output.trim()}`));
    });
  });
}
