// Plays a script on real dedups in several processes, and keeps what everybody saw: each run of a
// handler, each answer to a caller, each outcome that the store held.

import {
  createDedup,
  type Dedup,
  type DedupContext,
  Final,
  type Inspection,
  type OnCrash,
  type Resolution,
  Retryable,
  type VerifyAnswer,
} from "@onceproof/core";
import type { AtomicStore } from "@onceproof/core/advanced";
import type { Answer, Moment, Play, Resolved, Run, Verified } from "./dedup-play.ts";
import {
  type End,
  KEYS,
  LEASE_MS,
  type Person,
  type Script,
  type ScriptedCall,
  WAIT_MS,
} from "./dedup-script.ts";
import { createSink, type Effect, type SinkKind } from "./dedup-sinks.ts";
import { createSwarm, type Node, SETTLE_MS, type Swarm } from "./swarm.ts";

export interface PlayOptions {
  readonly policy: "park" | "rerun" | "verify";
  readonly sink: SinkKind;
  /** Straight to the memory store, past the network. */
  readonly direct?: boolean;
  /** @defaultValue longer than any script */
  readonly retentionMs?: number;
  /** Lets this much time pass between healing and the last calls. @defaultValue 0 */
  readonly idleMs?: number;
}

/** What a caller asks again after; everything else is an outcome. */
const UNSETTLED = new Set(["inProgress", "indeterminate", "threw"]);

export const keyOf = (key: number): string => `k${key}`;

export async function play(script: Script, options: PlayOptions): Promise<Play> {
  const common = {
    name: "pay",
    leaseMs: LEASE_MS,
    waitMs: WAIT_MS,
    settleMs: SETTLE_MS,
    retentionMs: options.retentionMs ?? 3_600_000,
  };
  const runs: Run[] = [];
  const answers: Answer[] = [];
  const history = new Map<string, Moment[]>();
  const verified: Verified[] = [];
  const repeatedSteps: string[] = [];
  const resolved: Resolved[] = [];
  const healed = new Map<string, Inspection>();
  const healedAt = new Map<string, number>();
  const sink = createSink(options.sink);
  const moods = [...script.moods];
  const swarm: Swarm = createSwarm({
    seed: script.seed,
    plan: script.plan,
    onJudged: (_, { outcome }) => outcome === "applied" && look(),
  });
  const oracle = createDedup({
    ...common,
    store: swarm.direct,
    runtime: swarm.runtime,
    onCrash: "park",
  });

  /** Notes what the store holds; memory answers within this very step. */
  const look = (): void => {
    for (let index = 0; index < KEYS; index += 1) {
      const key = keyOf(index);
      const storeMs = swarm.clock.wallNow();
      void oracle.inspect(key).then((seen) => {
        history.set(key, [...(history.get(key) ?? []), { storeMs, seen }]);
      });
    }
  };

  const noted = (store: AtomicStore): AtomicStore => ({
    capabilities: store.capabilities,
    read: (key) => store.read(key),
    write: (write) => store.write(write).finally(look),
    close: () => store.close(),
  });

  /** The sink as one process reaches it: what is on its way arrives whatever becomes of the process. */
  const reach = ({ machine }: Node, eachWayMs: number) =>
    machine.connect({
      call: <T>(step: () => T): Promise<T> =>
        new Promise<T>((resolve, reject) => {
          swarm.runtime.setTimer(() => {
            try {
              const answer = step();
              swarm.runtime.setTimer(() => resolve(answer), eachWayMs);
            } catch (error) {
              reject(error);
            }
          }, eachWayMs);
        }),
    });

  const verifyOn =
    (node: Node): Exclude<OnCrash, string> =>
    async (ctx): Promise<VerifyAnswer> => {
      const mood = moods.shift() ?? "answers";
      const { call } = reach(node, mood === "isSlow" ? LEASE_MS : 20);
      const done = await call(() => sink.ask(ctx.key, ctx.fencingToken));
      if (mood === "throws") {
        throw new Error("the answer was lost");
      }
      const answer: VerifyAnswer =
        mood === "saysUnknown"
          ? { answer: "unknown" }
          : done === undefined
            ? { answer: "notDone" }
            : { answer: "done", value: done };
      verified.push({ key: ctx.key, answer: answer.answer, fencingToken: ctx.fencingToken });
      return answer;
    };

  const start = (skewMs: number): { readonly node: Node; readonly dedup: Dedup } => {
    const node = swarm.node(skewMs);
    const store = options.direct ? node.machine.connect(noted(swarm.direct.peer())) : node.store;
    const onCrash = options.policy === "verify" ? verifyOn(node) : options.policy;
    const { runtime } = node.machine;
    return { node, dedup: createDedup({ ...common, store, runtime, onCrash }) };
  };

  const handle = async (
    node: Node,
    call: ScriptedCall,
    own: Run[],
    ctx: DedupContext,
  ): Promise<Effect> => {
    const { key, attempt, takeover, fencingToken } = ctx;
    const run: Run = { id: runs.length, key, call, attempt, takeover, fencingToken };
    runs.push(run);
    own.push(run);
    const end = (how: End, error?: unknown): void => {
      run.ended = how;
      if (error !== undefined) {
        throw error;
      }
    };
    await node.machine.sleep(call.beforeMs);
    if (call.step) {
      await ctx.step("s", () => {
        if (recordedBefore(attempt, history.get(key) ?? [])) {
          repeatedSteps.push(key);
        }
        return run.id;
      });
    }
    switch (call.end) {
      case "throwsRetryable":
        end(call.end, new Retryable("later"));
        break;
      case "throwsFinal":
        end(call.end, new Final(`final ${run.id}`, "no"));
        break;
      case "throwsBeforeEffect":
        end(call.end, new Error("before"));
        break;
      default:
    }
    const childKey = ctx.childKey("charge");
    const receipt = await reach(node, call.sinkMs).call(() =>
      sink.act({ key, run: run.id, childKey, fencingToken }),
    );
    await node.machine.sleep(call.afterMs);
    if (call.end === "throwsAfterEffect") {
      end(call.end, new Error("after"));
    }
    end("returns");
    // Naive sinks give every run a value of its own, so that two values can't pass for one.
    run.value = options.sink === "naive" ? { key, run: run.id } : receipt;
    return run.value as Effect;
  };

  const ask = async (
    { node, dedup }: ReturnType<typeof start>,
    call: ScriptedCall,
  ): Promise<Answer> => {
    const key = keyOf(call.key);
    const own: Run[] = [];
    const options_ = call.fingerprint === undefined ? {} : { fingerprint: call.fingerprint };
    const told = await dedup
      .attempt(key, (ctx) => handle(node, call, own, ctx), options_)
      .then(
        (result) => ({ result }),
        (error: { readonly code?: unknown }) => ({ code: error.code ?? error }),
      );
    const answer = { call, key, runs: own, stored: await oracle.inspect(key), ...told };
    answers.push(answer);
    return answer;
  };

  const office = start(0);
  const act = async (person: Person): Promise<void> => {
    const key = keyOf(person.key);
    const { outcome } = person;
    const found: Resolution =
      outcome === "done"
        ? { outcome, value: { key, run: "a person" } }
        : outcome === "failed"
          ? { outcome, code: "a person", message: "no" }
          : { outcome };
    const result = await office.dedup.resolve(key, found).catch(() => undefined);
    if (result !== undefined) {
      resolved.push({ key, person, result, stored: await oracle.inspect(key) });
    }
  };

  const processes = script.skewsMs.map(start);
  for (const { process, atMs, kind, forMs } of script.troubles) {
    const { machine } = processes[process]!.node;
    swarm.runtime.setTimer(() => {
      machine[kind]();
      swarm.runtime.setTimer(() => machine.resume(), forMs);
    }, atMs);
  }
  for (const person of script.people) {
    swarm.runtime.setTimer(() => void act(person), person.atMs);
  }
  await swarm.runAll(
    script.calls.map((call) => {
      const process = processes[call.process]!;
      const act = async (): Promise<void> => {
        const { machine } = process.node;
        await machine.sleep(call.startMs);
        for (let round = 0; round <= call.retries; round += 1) {
          const { result } = await ask(process, call);
          if (result !== undefined && !UNSETTLED.has(result.outcome)) {
            return;
          }
          await machine.sleep(call.gapMs);
        }
      };
      return [process.node, act()] as const;
    }),
  );

  await swarm.heal();
  moods.length = 0;
  for (let index = 0; index < KEYS; index += 1) {
    healed.set(keyOf(index), await oracle.inspect(keyOf(index)));
    healedAt.set(keyOf(index), history.get(keyOf(index))?.length ?? 0);
  }
  await swarm.runtime.advance(options.idleMs ?? 0);
  const fresh = start(0);
  const settled = new Map<string, Answer>();
  for (let index = 0; index < KEYS; index += 1) {
    const call: ScriptedCall = { ...LAST_CALL, key: index };
    for (let round = 0; round < 6; round += 1) {
      const answer = await swarm.runtime.run(ask(fresh, call));
      settled.set(answer.key, answer);
      if (answer.result?.outcome !== "inProgress") {
        break;
      }
    }
  }
  return {
    script,
    runs,
    answers,
    sink,
    history,
    verified,
    resolved,
    healed,
    healedAt,
    settled,
    repeatedSteps,
  };
}

/** Whether the step was recorded when this attempt began. */
function recordedBefore(attempt: number, moments: readonly Moment[]): boolean {
  const began = moments.findIndex(
    ({ seen }) => seen.state === "running" && seen.attempt === attempt,
  );
  return moments
    .slice(0, Math.max(0, began))
    .some(({ seen }) => "steps" in seen && seen.steps.includes("s"));
}

const LAST_CALL = {
  process: 0,
  startMs: 0,
  beforeMs: 1,
  afterMs: 1,
  sinkMs: 1,
  end: "returns",
  step: true,
  fingerprint: undefined,
  retries: 0,
  gapMs: 0,
} as const;
