// The proxy's faults, each on an echo server.
import { once } from "node:events";
import { connect, createServer, type Socket } from "node:net";
import { setTimeout as sleep } from "node:timers/promises";
import { afterAll, beforeAll, expect, test } from "vitest";
import { startTcpProxy, type TcpProxy } from "../src/index.js";

const heard: string[] = [];
const echo = createServer((socket) => {
  socket.on("error", () => {});
  socket.on("data", (chunk: Buffer) => {
    heard.push(chunk.toString());
    socket.write(chunk);
  });
});
let proxy: TcpProxy;

beforeAll(async () => {
  await new Promise<void>((resolve) => echo.listen(0, "127.0.0.1", resolve));
  proxy = await startTcpProxy(echoPort());
});

afterAll(async () => {
  await proxy.close();
  echo.close();
});

function echoPort(): number {
  const address = echo.address();
  return typeof address === "object" && address !== null ? address.port : 0;
}

/** Until whatever could have passed has: exchanges past the proxy, which nothing there holds up. */
async function meanwhile(): Promise<void> {
  const socket = connect(echoPort(), "127.0.0.1");
  for (let exchanges = 0; exchanges < 5; exchanges += 1) {
    socket.write("meanwhile");
    await once(socket, "data");
  }
  socket.destroy();
}

async function open(): Promise<{ socket: Socket; said: () => string; closed: () => boolean }> {
  const socket = connect(proxy.port, "127.0.0.1");
  let said = "";
  let closed = false;
  socket.on("data", (chunk: Buffer) => {
    said += chunk.toString();
  });
  socket.on("error", () => {});
  socket.on("close", () => {
    closed = true;
  });
  await once(socket, "connect");
  return { socket, said: () => said, closed: () => closed };
}

test("what passes arrives unchanged and in order", async () => {
  const { socket, said } = await open();
  const lift = proxy.delay(30);
  socket.write("a");
  await sleep(5);
  lift();
  socket.write("b");
  await expect.poll(said).toBe("ab");
});

test("a lost reply reached the server, and cuts the connection", async () => {
  const { socket, said, closed } = await open();
  proxy.once("loseReply", "lost");
  socket.write("reply lost");
  await expect.poll(closed).toBe(true);
  expect(heard).toContain("reply lost");
  expect(said()).toBe("");
});

test("a swallowed reply leaves the connection open", async () => {
  const { socket, said, closed } = await open();
  proxy.once("swallowReply", "swallow");
  socket.write("swallow");
  await expect.poll(() => heard).toContain("swallow");
  await meanwhile();
  expect([said(), closed()]).toEqual(["", false]);
});

test("a lost request never reaches the server", async () => {
  const { socket, closed } = await open();
  proxy.once("loseRequest", "never");
  socket.write("never");
  await expect.poll(closed).toBe(true);
  await meanwhile();
  expect(heard).not.toContain("never");
});

test("two holds end in any order, and nothing passes before both have", async () => {
  const { socket, said } = await open();
  const first = proxy.hold();
  const second = proxy.hold();
  socket.write("held twice");
  first();
  await meanwhile();
  expect(said()).toBe("");
  second();
  await expect.poll(said).toBe("held twice");
});

test("nothing passes while it holds, and everything after", async () => {
  const { socket, said } = await open();
  const lift = proxy.hold();
  socket.write("held");
  await meanwhile();
  expect(said()).toBe("");
  lift();
  await expect.poll(said).toBe("held");
});
