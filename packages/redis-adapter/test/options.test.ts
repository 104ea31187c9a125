// Options that would be taken for something else than was meant are refused at creation, in words
// that say what to do.
import { createRedisStore, type RedisStoreOptions } from "@onceproof/redis-adapter";
import { Cluster, Redis } from "ioredis";
import { afterAll, expect, test } from "vitest";

const client = new Redis({ lazyConnect: true });
const cluster = new Cluster([{ host: "127.0.0.1", port: 1 }], { lazyConnect: true });
afterAll(() => {
  client.disconnect();
  cluster.disconnect();
});

function refusal(options?: object): unknown {
  try {
    createRedisStore(options as RedisStoreOptions);
    return undefined;
  } catch (error) {
    return error;
  }
}

test.each([
  ["nothing", undefined, /object of options/],
  ["no client", {}, /client must be/],
  ["a client that is none", { client: {} }, /client must be/],
  ["a durability that there is none of", { client, durability: "forever" }, /"durable"/],
  ["a text for a switch", { client, hashTags: "yes" }, /hashTags must be true or false/],
  ["another", { client, watch: "no" }, /watch must be true or false/],
  ["a text for a permission", { client, evictionAllowed: "true" }, /evictionAllowed must be/],
  ["a number for a listener", { client, onWarning: 5 }, /onWarning must be a function/],
  ["a runtime without a clock", { client, runtime: {} }, /wallNow/],
  ["a misspelt name", { client, operationTimeout: 5 }, /operationTimeoutMs/],
  ["a number for a prefix", { client, keyPrefix: 5 }, /keyPrefix must be/],
])("%s is refused at creation", (_, options, message) => {
  expect(refusal(options)).toMatchObject({
    name: "ArgumentError",
    code: "optionInvalid",
    message: expect.stringMatching(message),
  });
});

test.each(["{}", "a{}b", "{}{tag}"])(
  "the prefix %j, in which a cluster sees no hash tag, is refused where keys bear them",
  (keyPrefix) => {
    const refused = { code: "optionInvalid", message: expect.stringContaining("{}") };
    expect(refusal({ client: cluster, keyPrefix })).toMatchObject(refused);
    expect(refusal({ client, keyPrefix, hashTags: true })).toMatchObject(refused);
    expect(refusal({ client, keyPrefix })).toBeUndefined();
  },
);

test.each(["", "app", "{app}", "{app}{}", "a{", "}"])("the prefix %j is taken", (keyPrefix) => {
  expect(refusal({ client: cluster, keyPrefix })).toBeUndefined();
});
