// Which fault strikes when, drawn from the seed. Three tracks run at once: one for the server,
// on which one thing happens at a time, and two for the network and the clients.
import { setTimeout as sleep } from "node:timers/promises";
import type { TcpProxy, Verdict } from "@onceproof/test-servers";
import type { Random } from "../random.js";
import type { ChaosServer, StoreKind } from "../stores/store-kind.js";

/** The faults that every kind of store can have, with what they do. */
export const COMMON_FAULTS = {
  cut: "every connection of one client is cut",
  lose: "requests and replies of one client are lost, or replies swallowed, for a while",
  commit: "requests to commit, or the replies to them, are lost for one client, for a while",
  delay: "all that one client sends and is sent comes later, for a while",
  hold: "nothing passes between one client and the server, for a while",
  crash: "one client process is killed (SIGKILL) and replaced",
  freeze: "one client process is stopped (SIGSTOP), longer than a lease, and goes on",
  stall: "the server is stopped (SIGSTOP) for a while",
  kill: "the server is killed (SIGKILL) and restarted on its data",
  "kill-commit": "the same, while a commit is on its way or under way",
  jump: "the server's clock jumps by up to an hour, there and back (only if asked for)",
} as const;

const ON_SERVER = ["stall", "kill", "kill-commit", "jump"];

/** Faults that are struck unless others are asked for. */
export function defaultFaults(kind: StoreKind): string[] {
  return [...allFaults(kind)].filter((fault) => fault !== "jump");
}

export function allFaults(kind: StoreKind): string[] {
  const common = Object.keys(COMMON_FAULTS).filter((fault) => !kind.without.includes(fault));
  return [...common, ...Object.keys(kind.faults)];
}

/** What faults strike. */
export interface Targets {
  readonly server: ChaosServer;
  readonly clients: readonly {
    /** None where clients open a file. */
    readonly proxy: TcpProxy | undefined;
    kill(signal: NodeJS.Signals): void;
    /** Kills the process and starts another in its place, which takes a while. */
    replace(): void;
  }[];
}

export interface FaultOptions {
  readonly faults: readonly string[];
  readonly targets: Targets;
  /** The choices of a track. */
  readonly random: (track: string) => Random;
  readonly stopped: AbortSignal;
  /** Told of each fault as it strikes. */
  readonly onFault: (fault: string) => void;
}

const HOUR_MS = 3_600_000;
const COMMIT_WITHIN_MS = 1_000;
/** A commit waits for a disk: so it is killed before, while and after its record is written. */
const LONGEST_COMMIT_MS = 3;
const LOSSES = ["loseRequest", "loseReply", "swallowReply"] as const;

/** Strikes until it is stopped; every fault is over when it resolves. */
export async function strikeFaults(options: FaultOptions): Promise<void> {
  const { faults, targets } = options;
  const own = (fault: string): boolean => !(fault in COMMON_FAULTS);
  const onServer = faults.filter((fault) => ON_SERVER.includes(fault) || own(fault));
  const others = faults.filter((fault) => !onServer.includes(fault));
  // A crash costs a start, so the others are drawn more often.
  const drawn = others.flatMap((fault) => (fault === "crash" ? [fault] : [fault, fault]));
  let offsetMs = 0;
  const strikeServer = async (fault: string, random: Random, lasting: Lasting): Promise<void> => {
    const { server, clock, strike } = targets.server;
    switch (fault) {
      case "stall":
        server?.kill("SIGSTOP");
        await lasting(random.int(100, 1_500));
        server?.kill("SIGCONT");
        return;
      case "kill":
        server?.kill("SIGKILL");
        await server?.restart();
        return;
      case "kill-commit": {
        const came = await commitFrom(targets.clients, lasting);
        if (!came) return options.onFault(`${fault} (not taken)`);
        const afterMs = random.int(0, LONGEST_COMMIT_MS);
        if (afterMs > 0) await sleep(afterMs);
        server?.kill("SIGKILL");
        await server?.restart();
        return;
      }
      case "jump": {
        const next = random.int(-HOUR_MS, HOUR_MS);
        clock?.jumpClock(next - offsetMs);
        offsetMs = next;
        return;
      }
      default:
        // A server that is busy coming back may not take it: that is told, and ends no run.
        await strike(fault).catch(() => options.onFault(`${fault} (not taken)`));
    }
  };
  const strikeClient = (fault: string, random: Random, lasting: Lasting): Promise<void> => {
    const client = random.pick(targets.clients as [Targets["clients"][0]]);
    return atClient(fault, client, random, lasting);
  };
  await Promise.all([
    track(options, "server", onServer, { leastMs: 300, mostMs: 1_500 }, strikeServer),
    ...["clients", "more clients"].map((name) =>
      track(options, name, drawn, { leastMs: 100, mostMs: 700 }, strikeClient),
    ),
  ]);
}

/** Resolves in the turn in which a request to commit passes a proxy; false if none did for a while. */
async function commitFrom(clients: Targets["clients"], lasting: Lasting): Promise<boolean> {
  let seen = (): void => {};
  const passed = new Promise<boolean>((resolve) => {
    seen = () => resolve(true);
  });
  const rule = (request: Buffer): undefined => {
    if (request.includes("COMMIT")) seen();
  };
  const lifts = clients.map(({ proxy }) => proxy?.addRule(rule));
  const came = await Promise.race([passed, lasting(COMMIT_WITHIN_MS).then(() => false)]);
  for (const lift of lifts) lift?.();
  return came;
}

async function atClient(
  fault: string,
  client: Targets["clients"][number],
  random: Random,
  lasting: Lasting,
): Promise<void> {
  if (fault === "freeze") {
    client.kill("SIGSTOP");
    await lasting(random.int(1_200, 4_000));
    client.kill("SIGCONT");
  } else if (fault === "crash") {
    client.replace();
  } else if (client.proxy !== undefined) {
    await atProxy(fault, client.proxy, random, lasting);
  }
}

async function atProxy(
  fault: string,
  proxy: TcpProxy,
  random: Random,
  lasting: Lasting,
): Promise<void> {
  switch (fault) {
    case "lose":
    case "commit": {
      const one = fault === "lose" ? random.int(4, 30) : random.int(1, 3);
      const lift = proxy.addRule((request): Verdict | undefined => {
        if (fault === "commit" && !request.includes("COMMIT")) return undefined;
        return random.int(1, one) === 1 ? random.pick(LOSSES) : undefined;
      });
      await lasting(random.int(200, 1_000));
      lift();
      // A connection whose reply was swallowed owes it for ever; a network would end it some time.
      proxy.cut();
      return;
    }
    case "delay": {
      const lift = proxy.delay(random.int(5, 200));
      await lasting(random.int(200, 1_000));
      lift();
      return;
    }
    case "hold": {
      const lift = proxy.hold();
      await lasting(random.int(100, 1_200));
      lift();
      return;
    }
    default:
      proxy.cut();
  }
}

type Lasting = (ms: number) => Promise<void>;

async function track(
  { random: randomOf, stopped, onFault }: FaultOptions,
  name: string,
  faults: readonly string[],
  { leastMs, mostMs }: { readonly leastMs: number; readonly mostMs: number },
  strike: (fault: string, random: Random, lasting: Lasting) => Promise<void>,
): Promise<void> {
  const [first, ...rest] = faults;
  if (first === undefined) return;
  const random = randomOf(name);
  // What is stopped in the middle of a fault lifts it at once.
  const lasting: Lasting = (ms) => sleep(ms, undefined, { signal: stopped }).catch(() => {});
  while (!stopped.aborted) {
    await lasting(random.int(leastMs, mostMs));
    if (stopped.aborted) return;
    const fault = random.pick([first, ...rest]);
    onFault(fault);
    await strike(fault, random, lasting);
  }
}
