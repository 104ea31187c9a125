// Values of options: what a person types, checked, as data.

import { availableParallelism } from "node:os";
import { InvalidArgumentError } from "commander";
import { SCENARIOS } from "../scenarios/catalogue.js";
import type { Scenario } from "../scenarios/scenario.js";
import { PROFILES, type ProfileId } from "../world/profile.js";

/** Which of several parts. */
export interface Shard {
  /** From 1. */
  readonly index: number;
  readonly of: number;
}

const UNITS_MS: { readonly [unit: string]: number } = { ms: 1, s: 1_000, m: 60_000, h: 3_600_000 };

/** `30s`, `10m`, `1.5h`: in milliseconds. */
export function parseTime(text: string): number {
  const [, digits, unit = ""] = /^(\d+(?:\.\d+)?)(ms|s|m|h)$/.exec(text.trim()) ?? [];
  const ms = Number(digits) * (UNITS_MS[unit] ?? Number.NaN);
  if (!(ms > 0)) {
    throw new InvalidArgumentError("give a number and a unit, for example 30s, 10m or 1h");
  }
  return ms;
}

function whole(text: string, least: number, what: string): number {
  const value = /^\d+$/.test(text) ? Number(text) : Number.NaN;
  if (!Number.isSafeInteger(value) || value < least) {
    throw new InvalidArgumentError(`give ${what}`);
  }
  return value;
}

export const parseJobs = (text: string): number => whole(text, 1, "a whole number from 1");
export const parseBudget = (text: string): number => whole(text, 1, "a number of plans from 1");
export const defaultJobs = (): number => availableParallelism();

export function parseSeed(text: string): number {
  const seed = whole(text, 0, "a whole number from 0 to 4294967295");
  if (seed >= 2 ** 32) {
    throw new InvalidArgumentError("give a whole number from 0 to 4294967295");
  }
  return seed;
}

/** `2/3`: the second of three parts. */
export function parseShard(text: string): Shard {
  const [, index = "0", of = "0"] = /^(\d+)\/(\d+)$/.exec(text) ?? [];
  const shard = { index: Number(index), of: Number(of) };
  if (shard.index < 1 || shard.index > shard.of) {
    throw new InvalidArgumentError("give which part of how many, for example 1/3");
  }
  return shard;
}

function listed(text: string): readonly string[] {
  return text
    .split(",")
    .map((part) => part.trim())
    .filter((part) => part !== "");
}

/** The scenarios whose ids begin with one of these. */
export function parseScenarios(text: string): readonly Scenario[] {
  const prefixes = listed(text);
  for (const prefix of prefixes) {
    if (!SCENARIOS.some(({ id }) => id.startsWith(prefix))) {
      const ids = SCENARIOS.map(({ id }) => id).join(", ");
      throw new InvalidArgumentError(`no scenario begins with "${prefix}"; there are ${ids}`);
    }
  }
  if (prefixes.length === 0) {
    throw new InvalidArgumentError("give the beginnings of scenario ids, separated by commas");
  }
  return SCENARIOS.filter(({ id }) => prefixes.some((prefix) => id.startsWith(prefix)));
}

export function parseProfiles(text: string): readonly ProfileId[] {
  const known = PROFILES.map(({ id }) => id);
  const wanted = listed(text);
  for (const id of wanted) {
    if (!known.some((each) => each === id)) {
      throw new InvalidArgumentError(`no profile is called "${id}"; there are ${known.join(", ")}`);
    }
  }
  if (wanted.length === 0) {
    throw new InvalidArgumentError(`give profiles, separated by commas: ${known.join(", ")}`);
  }
  return known.filter((id) => wanted.includes(id));
}

/** Plans that a variant of core is tried with, at most. */
export const DEFAULT_BUDGET = 4_000;
