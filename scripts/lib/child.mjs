// Child processes, each in its own group so that a signal ends it together with its children.
import { spawn } from "node:child_process";

const GRACE_MS = 5_000;
const running = new Set();

/**
 * Starts a command and resolves when it has ended.
 *
 * @param {string} command
 * @param {string[]} args
 * @param {{ cwd?: string, env?: Record<string, string>, capture?: boolean, shell?: boolean }} [options]
 *   `capture` collects stdout and stderr instead of passing them through.
 * @returns {Promise<{ code: number, output: string, stdout: string }>}
 */
export function run(command, args, { cwd, env, capture = false, shell = false } = {}) {
  return new Promise((resolve, reject) => {
    const child = spawn(command, args, {
      cwd,
      shell,
      env: { ...process.env, ...env },
      detached: process.platform !== "win32",
      stdio: ["ignore", capture ? "pipe" : "inherit", capture ? "pipe" : "inherit"],
    });
    running.add(child);
    let output = "";
    let stdout = "";
    child.stdout?.on("data", (chunk) => {
      output += chunk;
      stdout += chunk;
    });
    child.stderr?.on("data", (chunk) => {
      output += chunk;
    });
    child.once("error", (error) => {
      running.delete(child);
      reject(error);
    });
    child.once("close", (code, signal) => {
      running.delete(child);
      // A stopping run reports through its own exit code, once every child has gone.
      if (!stopping) resolve({ code: signal ? 1 : (code ?? 1), output, stdout });
    });
  });
}

/** Runs a JavaScript file with this Node. */
export const runNode = (file, args, options) => run(process.execPath, [file, ...args], options);

/** Runs npm: the very one that called us where that is known. */
export function runNpm(args, options) {
  const npm = process.env.npm_execpath;
  if (npm?.endsWith("npm-cli.js")) return runNode(npm, args, options);
  return run("npm", args, { ...options, shell: process.platform === "win32" });
}

let stopping = false;

/** Ends every child on Ctrl-C or a termination, then exits as a shell would report it. */
export function installSignalHandlers() {
  for (const [signal, exitCode] of [
    ["SIGINT", 130],
    ["SIGTERM", 143],
    ["SIGHUP", 129],
  ]) {
    process.on(signal, () => stop(signal, exitCode));
  }
}

function stop(signal, exitCode) {
  // A second Ctrl-C means: now.
  if (stopping) {
    signalAll("SIGKILL");
    process.exit(exitCode);
  }
  stopping = true;
  signalAll(signal);
  const deadline = Date.now() + GRACE_MS;
  const poll = setInterval(() => {
    if (running.size > 0 && Date.now() < deadline) return;
    clearInterval(poll);
    signalAll("SIGKILL");
    process.exit(exitCode);
  }, 50);
}

function signalAll(signal) {
  for (const child of running) {
    try {
      if (process.platform === "win32") child.kill(signal);
      else process.kill(-child.pid, signal);
    } catch {
      // Already gone.
    }
  }
}
