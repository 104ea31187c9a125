// Two runs in one working tree must not install or build at once: the later waits for the earlier.
import { mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { cache } from "./paths.mjs";
import { paint } from "./print.mjs";

const POLL_MS = 200;

/** Runs `work` while no other process of this tree is inside `exclusively`. */
export async function exclusively(work) {
  const file = join(cache, "prepare.lock");
  mkdirSync(cache, { recursive: true });
  let told = false;
  while (!take(file)) {
    if (!told) console.error(paint.dim("… waiting for another run that is preparing this tree"));
    told = true;
    await delay(POLL_MS);
  }
  const release = () => rmSync(file, { force: true });
  process.once("exit", release);
  try {
    return await work();
  } finally {
    process.removeListener("exit", release);
    release();
  }
}

function take(file) {
  try {
    writeFileSync(file, String(process.pid), { flag: "wx" });
    return true;
  } catch (error) {
    if (error.code !== "EEXIST") throw error;
  }
  const owner = ownerOf(file);
  // An owner that died left its file behind. An empty file is one that is being written.
  if (owner !== undefined && !isAlive(owner)) rmSync(file, { force: true });
  return false;
}

function ownerOf(file) {
  try {
    return Number(readFileSync(file, "utf8")) || undefined;
  } catch {
    return undefined;
  }
}

function isAlive(pid) {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return error.code === "EPERM";
  }
}
