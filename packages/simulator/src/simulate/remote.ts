// The far ends of a handler's calls: effects at their sinks, methods at their services. Arguments
// and answers travel as copies, so that nobody changes another's objects.

import { ArgumentError } from "@onceproof/core/advanced";
import { show } from "../checker/plain-data.js";
import type { Node, World } from "../world/world.js";
import type { EffectMap, EffectOptions, ServiceMap } from "./context.js";
import type { RunLog } from "./run-log.js";

/** For whom a call is made. */
export interface Caller {
  readonly node: Node;
  /** Which run of the handler, and its operation in the history; none at a node's start. */
  readonly run: number;
  readonly operation?: number;
  /** The request's name; none at a node's start. */
  readonly request?: string;
}

type Call = (...args: unknown[]) => Promise<unknown>;

/** Sinks and services of one run. */
export interface Remote {
  effectsFor(caller: Caller): Readonly<Record<string, Call>>;
  servicesFor(caller: Caller): Readonly<Record<string, object>>;
  /** Notes a call that `send` makes over the link to `to`, as a step of the caller's run. */
  noted<T>(caller: Caller, to: string, step: string, send: () => T): T;
}

export function createRemote(
  world: World,
  log: RunLog,
  services: ServiceMap,
  effects: EffectMap,
): Remote {
  /** The first answer for each idempotency key, by effect. */
  const known = new Map<string, unknown>();

  const noted = <T>({ node, run }: Caller, to: string, step: string, send: () => T): T => {
    const link = `${node.name} ${to}`;
    const before = world.counts.get(link) ?? 0;
    // Logged before it is sent: sending may be the end of this process.
    const call = { run, step, from: node.name, to, nth: before + 1 };
    log.calls.push(call);
    const sent = send();
    if ((world.counts.get(link) ?? 0) === before) {
      log.calls.splice(log.calls.indexOf(call), 1);
    }
    return sent;
  };

  const call = (
    caller: Caller,
    to: string,
    step: string,
    what: string,
    act: () => unknown,
  ): Promise<unknown> => {
    const answer = noted(caller, to, step, () => caller.node.call(to, what, act));
    // A call that nobody awaits must not end the host when it fails.
    answer.catch(() => {});
    return answer;
  };

  const carryOut = (
    { node, operation, request }: Caller,
    name: string,
    options: EffectOptions,
    args: readonly unknown[],
  ): unknown => {
    const idempotencyKey = options.idempotencyKey?.(...args);
    const knownAs = idempotencyKey === undefined ? undefined : `${name} ${show(idempotencyKey)}`;
    const again = knownAs !== undefined && known.has(knownAs);
    const key = keyOf(name, options, args);
    const note = (accepted: boolean, value?: unknown): void => {
      world.recorder.effect({
        sink: name,
        key,
        by: node.name,
        ...(operation !== undefined && { operation }),
        accepted,
        value,
      });
    };
    if (again) {
      note(false);
      return copy(known.get(knownAs), log, `the answer of ${name}`);
    }
    let value: unknown;
    try {
      value = synchronous(options.act?.(...args), log, `effect ${name}: act`);
    } catch (error) {
      note(false);
      throw error;
    }
    note(true, value);
    const atMs = world.elapsedUs / 1000;
    // Two requests may well have an effect alike; what a `key` names is the same for all.
    const same = options.key === undefined ? `${request ?? ""} ${key}` : key;
    log.effects.push({ effect: name, key, same, args, by: node.name, atMs });
    if (knownAs !== undefined) {
      known.set(knownAs, value);
    }
    return copy(value, log, `the answer of ${name}`);
  };

  return {
    noted,
    effectsFor: (caller) =>
      Object.fromEntries(
        Object.entries(effects).map(([name, options]): [string, Call] => [
          name,
          (...args) => {
            const sent = copies(args, log, name);
            const what = `${name}(${shown(sent)})`;
            return call(caller, name, name, what, () => carryOut(caller, name, options, sent));
          },
        ]),
      ),
    servicesFor: (caller) =>
      Object.fromEntries(
        Object.entries(services).map(([name, service]): [string, object] => [
          name,
          remoteObject(service, name, (method, act, args) => {
            const step = `${name}.${method}`;
            const sent = copies(args, log, step);
            return call(caller, name, step, `${method}(${shown(sent)})`, () =>
              copy(synchronous(act(sent), log, step), log, `the answer of ${step}`),
            );
          }),
        ]),
      ),
  };
}

type Send = (
  method: string,
  act: (args: readonly unknown[]) => unknown,
  args: readonly unknown[],
) => Promise<unknown>;

/** Stands in for a service: each of its methods is a call. */
function remoteObject(service: object, name: string, send: Send): object {
  return new Proxy(service, {
    get(target, method) {
      const real: unknown = Reflect.get(target, method);
      if (typeof method === "string" && typeof real === "function") {
        return (...args: unknown[]) =>
          send(method, (sent) => Reflect.apply(real, target, sent), args);
      }
      // Promises and tools look for these; whoever awaits the service itself gets it.
      if (typeof method === "symbol" || method === "then" || method === "toJSON") {
        return undefined;
      }
      throw new TypeError(
        `${name}.${method} is no method: a service can only be called, as over a network`,
      );
    },
    set(_target, property) {
      throw new TypeError(`${name}.${String(property)} can't be set: call a method of ${name}`);
    },
  });
}

/** What counts as the same effect, for people. */
function keyOf(name: string, { key }: EffectOptions, args: readonly unknown[]): string {
  if (key === undefined) {
    return `${name}(${shown(args)})`;
  }
  const own = key(...args);
  return `${name} ${typeof own === "string" ? own : show(own)}`;
}

function shown(args: readonly unknown[]): string {
  return args.map(show).join(", ");
}

function copies(args: readonly unknown[], log: RunLog, step: string): readonly unknown[] {
  return args.map((arg) => copy(arg, log, `an argument of ${step}`));
}

/** A copy, as sending and receiving make one. */
export function copy<T>(value: T, log: RunLog, what: string): T {
  if (typeof value !== "object" && typeof value !== "function") {
    return value;
  }
  try {
    return structuredClone(value);
  } catch (cause) {
    log.misuse ??= new ArgumentError(
      "optionInvalid",
      `${what} can't be sent over a network: pass plain data only`,
      { cause },
    );
    throw log.misuse;
  }
}

function synchronous<T>(value: T, log: RunLog, what: string): T {
  const { then } = Object(value) as { readonly then?: unknown };
  if (typeof then === "function") {
    then.call(value, ignore, ignore);
    log.misuse ??= new ArgumentError(
      "optionInvalid",
      `${what} must be synchronous: it runs at the far end in one step`,
    );
    throw log.misuse;
  }
  return value;
}

function ignore(): void {}
