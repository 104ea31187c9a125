// Checks the options of `simulate` before anything runs, and fills in the defaults.

import { ArgumentError } from "@onceproof/core/advanced";
import { show } from "../checker/plain-data.js";
import { FAULT_NAMES } from "../world/check-options.js";
import { type ProfileId, profileOf } from "../world/profile.js";
import { STORE } from "../world/store-client.js";
import type { EffectMap, EffectOptions, EffectsOption, ServiceMap } from "./context.js";
import type { ClientOptions, Resolved, SimulateOptions, Traffic } from "./options.js";

const TRAFFIC: readonly Traffic[] = ["retries", "doubleClick", "redelivery"];
const EFFECT_OPTIONS = ["act", "key", "idempotencyKey", "times"];
const CLIENT_OPTIONS = ["tries", "patienceMs", "gapMs", "isFinal"];
const TIMES = ["once", "atMostOnce", "atLeastOnce"];

/** The names of all options: a typing error must not be taken for a default. */
const OPTIONS: {
  readonly [name in keyof Required<SimulateOptions<unknown, ServiceMap, EffectMap, unknown>>]: true;
} = {
  handler: true,
  effects: true,
  services: true,
  requests: true,
  start: true,
  check: true,
  nodes: true,
  store: true,
  traffic: true,
  client: true,
  sameAnswers: true,
  leaseMs: true,
  timeoutMs: true,
  without: true,
  budget: true,
  seed: true,
  guard: true,
  replay: true,
  signal: true,
};

/** Fails: ArgumentError `optionInvalid` or `durationInvalid`. */
export function resolveOptions<R, S extends ServiceMap, E extends EffectsOption, L>(
  options: SimulateOptions<R, S, E, L>,
): Resolved {
  refuseUnless(typeof options === "object" && options !== null, "simulate needs its options");
  checkNames(options, Object.keys(OPTIONS), "");
  const { handler, start, check, seed = 1, store = "durable", traffic = TRAFFIC } = options;
  checkFunction(handler, "handler", true);
  checkFunction(start, "start");
  checkFunction(check, "check");
  checkFunction(options.services, "services");
  const makeServices = (options.services ?? (() => ({}))) as () => ServiceMap;
  const services = servicesOf(makeServices);
  const makeEffects = effectsMaker(options.effects as EffectsOption | EffectsMaker);
  const effects = makeEffects(services);
  checkEffects(effects, Object.keys(services));
  const requests = options.requests ?? [{ id: "r1" }];
  refuseUnless(
    Array.isArray(requests) && requests.length > 0,
    "requests must be a list of at least one request",
  );
  const { nodes = 2, leaseMs = 30_000, timeoutMs = 200 } = options;
  checkCount(nodes, "nodes");
  checkMs(leaseMs, "leaseMs");
  checkMs(timeoutMs, "timeoutMs");
  refuseUnless(timeoutMs < leaseMs, `timeoutMs must be below leaseMs (${leaseMs})`);
  refuseUnless(Number.isSafeInteger(seed), "seed must be a whole number");
  checkProfile(store);
  refuseUnless(
    Array.isArray(traffic) && traffic.length > 0 && traffic.every((each) => TRAFFIC.includes(each)),
    `traffic must be a list of ${TRAFFIC.join(", ")}`,
  );
  checkPart(options.budget, ["plans"], "budget", "{ plans: 1_000 }");
  checkFaultNames(options.without);
  checkBoolean(options.guard, "guard");
  checkBoolean(options.sameAnswers, "sameAnswers");
  const plans = options.budget?.plans;
  if (plans !== undefined) {
    checkCount(plans, "budget.plans");
  }
  refuseUnless(
    options.replay === undefined || typeof options.replay === "string",
    "replay must be the token of a finding",
  );
  return {
    handler: handler as unknown as Resolved["handler"],
    start: start as unknown as Resolved["start"],
    check: check as unknown as Resolved["check"],
    makeServices,
    makeEffects,
    effects,
    services: Object.keys(services),
    requests,
    nodes: Array.from({ length: nodes }, (_, index) => `api-${index + 1}`),
    store,
    traffic,
    client: clientOf(options.client),
    sameAnswers: options.sameAnswers ?? true,
    leaseMs,
    timeoutMs,
    without: options.without ?? [],
    plans,
    seed,
    guard: options.guard ?? true,
    replay: options.replay,
    signal: options.signal,
  };
}

type EffectsMaker = (services: ServiceMap) => EffectsOption;

function effectsMaker(option: EffectsOption | EffectsMaker): (services: ServiceMap) => EffectMap {
  refuseUnless(
    typeof option === "function" || (typeof option === "object" && option !== null),
    'effects must name what must not happen twice or get lost, e.g. ["charge"]',
  );
  return (services) => {
    const effects = typeof option === "function" ? option(services) : option;
    return isNames(effects)
      ? Object.fromEntries(effects.map((name): [string, EffectOptions] => [name, {}]))
      : effects;
  };
}

function isNames(effects: EffectsOption): effects is readonly string[] {
  return Array.isArray(effects);
}

function servicesOf(makeServices: () => ServiceMap): ServiceMap {
  const services = makeServices();
  const isMap = typeof services === "object" && services !== null;
  refuseUnless(
    isMap && Object.values(services).every((each) => typeof each === "object" && each !== null),
    "services must return objects by name, e.g. () => ({ db: new Map() })",
  );
  return services;
}

function checkEffects(effects: EffectMap, services: readonly string[]): void {
  const entries = Object.entries(effects ?? {});
  refuseUnless(entries.length > 0, 'effects must name at least one, e.g. ["charge"]');
  for (const name of [...services, ...Object.keys(effects)]) {
    refuseUnless(
      /^[A-Za-z][\w]*$/.test(name) && name !== STORE && !/^(api|client)$/.test(name),
      `${JSON.stringify(name)} can't name a service or an effect: use another identifier`,
    );
  }
  for (const [name, each] of entries) {
    refuseUnless(!services.includes(name), `${name} is a service already: rename the effect`);
    refuseUnless(typeof each === "object" && each !== null, `effect ${name} must be an object`);
    checkNames(each, EFFECT_OPTIONS, `effect ${name}: `);
    const { act, key, idempotencyKey, times = "once" } = each;
    checkFunction(act, `effect ${name}: act`);
    checkFunction(key, `effect ${name}: key`);
    checkFunction(idempotencyKey, `effect ${name}: idempotencyKey`);
    refuseUnless(TIMES.includes(times), `effect ${name}: times must be ${TIMES.join(" or ")}`);
  }
}

function clientOf(options: ClientOptions = {}): Required<ClientOptions> {
  checkPart(options, CLIENT_OPTIONS, "client", "{ tries: 8 }");
  const { tries = 8, patienceMs = 15_000, gapMs = 1_000, isFinal = isFinalError } = options;
  checkCount(tries, "client.tries");
  checkMs(patienceMs, "client.patienceMs");
  checkMs(gapMs, "client.gapMs");
  checkFunction(isFinal, "client.isFinal");
  return { tries, patienceMs, gapMs, isFinal };
}

function isFinalError(error: unknown): boolean {
  return (Object(error) as { readonly onceproof?: unknown }).onceproof === "final";
}

function checkProfile(store: ProfileId): void {
  try {
    profileOf(store);
  } catch (error) {
    throw new ArgumentError("optionInvalid", `store: ${(error as Error).message}`);
  }
}

/** A typing error must not be taken for a default. */
function checkNames(options: object, known: readonly string[], where: string): void {
  for (const name of Object.keys(options)) {
    refuseUnless(
      known.includes(name),
      `${where}there is no option ${name}: choose from ${known.join(", ")}`,
    );
  }
}

function checkPart(part: unknown, known: readonly string[], what: string, example: string): void {
  if (part !== undefined) {
    const isObject = typeof part === "object" && part !== null;
    refuseUnless(isObject, `${what} must be an object, e.g. ${what}: ${example}`);
    checkNames(part, known, `${what}: `);
  }
}

function checkFaultNames(without: unknown): void {
  refuseUnless(without === undefined || Array.isArray(without), "without must be a list of faults");
  for (const name of without ?? []) {
    refuseUnless(
      FAULT_NAMES.includes(name),
      `without: there is no fault ${show(name)}: choose from ${FAULT_NAMES.join(", ")}`,
    );
  }
}

function checkBoolean(value: unknown, what: string): void {
  refuseUnless(
    value === undefined || typeof value === "boolean",
    `${what} must be true or false, got ${typeof value}`,
  );
}

function checkCount(count: unknown, what: string): void {
  refuseUnless(
    Number.isSafeInteger(count) && (count as number) >= 1,
    `${what} must be a whole number of at least 1`,
  );
}

function checkMs(ms: unknown, what: string): void {
  if (typeof ms !== "number" || !(ms >= 1) || !Number.isFinite(ms)) {
    throw new ArgumentError(
      "durationInvalid",
      `${what} must be a finite number of milliseconds from 1 on`,
    );
  }
}

function checkFunction(value: unknown, what: string, needed = false): void {
  refuseUnless(
    typeof value === "function" || (value === undefined && !needed),
    `${what} must be a function, got ${typeof value}`,
  );
}

function refuseUnless(holds: boolean, message: string): asserts holds {
  if (!holds) {
    throw new ArgumentError("optionInvalid", message);
  }
}
