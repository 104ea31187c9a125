// What goes wrong within a transaction, whatever the function that runs in it makes of that: a
// failure that ended it must never be followed by a commit, nor by statements of no transaction.

import { ContendedError, IndeterminateError, type OnceproofError } from "@onceproof/core";
import { driverError, StoreError } from "@onceproof/core/advanced";
import { remedyFor } from "./rounds.js";
import type { Session } from "./session.js";

/** One transaction, from its begin to its end. */
export interface Watch {
  /** On which the store's own statements go, where it was borrowed by the store. */
  readonly session?: Session;
  /** Why it must not commit; undefined as long as it may. */
  doom(): OnceproofError | undefined;
  /** Dooms it; the first reason counts, but being rolled back on account of others counts more. */
  fail(error: OnceproofError): void;
  /** It is over: stores that are bound to it do nothing more, and its handle may begin another. */
  end(): void;
}

const watches = new WeakMap<object, Watch>();

/** The watch over a transaction that this store, or another one, has begun. */
export function watchOver(tx: unknown): Watch | undefined {
  return watches.get(Object(tx));
}

/** Watches over a transaction, by its handle. */
export function startWatch(tx: unknown, session?: Session): Watch {
  let doom: OnceproofError | undefined;
  const watch: Watch = {
    ...(session && { session }),
    doom: () => doom,
    fail(error) {
      doom = doom === undefined || error.code === "contended" ? error : doom;
    },
    end() {
      doom ??= notCommitted(new Error("it is over: a bound store must not be used any more"));
      if (watches.get(Object(tx)) === watch) {
        watches.delete(Object(tx));
      }
    },
  };
  watches.set(Object(tx), watch);
  return watch;
}

/** The error for a transaction that was rolled back on account of others. */
export function contended(cause: unknown): ContendedError {
  const what = "rolled back on account of others: run the whole transaction again";
  return new ContendedError("contended", what, { cause: driverError(cause) });
}

/** The error for a transaction that certainly did not commit. */
export function notCommitted(cause: unknown): StoreError {
  const plain = driverError(cause);
  const what = `the transaction was not committed: ${plain.message}${remedyFor(plain)}`;
  return new StoreError("unavailable", what, { cause: plain });
}

/** The error for a transaction that was over before the function that runs in it. */
export function endedInside(): IndeterminateError {
  const what =
    "the transaction was over before its function: who runs in it must not begin, commit or roll back, and what it wrote may be committed, or not";
  return new IndeterminateError("indeterminate", what, { reason: "transactionEnded" });
}

/** Whether an error, or one that caused it, is of a kind. */
export function isCausedBy(error: unknown, kind: (error: unknown) => boolean): boolean {
  for (let at = error, depth = 0; at !== undefined && at !== null && depth < 8; depth += 1) {
    if (kind(at)) {
      return true;
    }
    at = (at as { readonly cause?: unknown }).cause;
  }
  return false;
}

type Method = (...parameters: unknown[]) => unknown;

/**
 * Sees the failures of the statements that are sent through a connection's own methods.
 *
 * After a deadlock MySQL has no transaction any more, and would carry out what follows statement by
 * statement: once doomed on account of others, nothing more is sent. Returns what ends it.
 */
export function watchMethods(
  connection: object,
  methods: readonly string[],
  watch: Watch,
  isContention: (error: unknown) => boolean,
): () => void {
  const members = connection as Record<string, unknown>;
  const seen = (error: unknown): void => {
    if (isContention(error)) {
      watch.fail(contended(error));
    }
  };
  const undo = methods.map((name) => {
    const own = Object.getOwnPropertyDescriptor(connection, name);
    const original = members[name];
    if (typeof original === "function") {
      members[name] = watched(original as Method, watch, seen);
    }
    return () => {
      if (own === undefined) {
        delete members[name];
      } else {
        Object.defineProperty(connection, name, own);
      }
    };
  });
  return () => {
    for (const each of undo) {
      each();
    }
  };
}

function watched(original: Method, watch: Watch, seen: (error: unknown) => void): Method {
  return function (this: unknown, ...parameters) {
    const callback = parameters.at(-1);
    const doom = watch.doom();
    if (doom?.code === "contended") {
      if (typeof callback !== "function") {
        return Promise.reject(doom);
      }
      queueMicrotask(() => callback(doom));
      return undefined;
    }
    if (typeof callback === "function") {
      parameters[parameters.length - 1] = (error: unknown, ...rest: unknown[]) => {
        seen(error);
        callback(error, ...rest);
      };
    }
    const result = original.apply(this, parameters);
    if (result instanceof Promise) {
      result.catch(seen);
    }
    return result;
  };
}

/** What must be told in place of what the function threw. */
export function doomOf(
  watch: Watch,
  error: unknown,
  isContention: (error: unknown) => boolean,
): Error | undefined {
  const doom = watch.doom();
  if (doom?.code === "contended") {
    return doom;
  }
  return isCausedBy(error, isContention) ? contended(error) : undefined;
}
