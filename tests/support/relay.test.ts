import { afterEach, expect, spyOn, test } from "bun:test";
import { once } from "node:events";
import net from "node:net";
import { Relay } from "./relay.ts";

const ends: (() => unknown)[] = [];
afterEach(async () => {
  for (const end of ends.splice(0)) await end();
});

test("a slow link carries bytes in their order, also while its process has to wait for a processor", async () => {
  const sent = Buffer.from(Array.from({ length: 10_010 }, (_, at) => at % 251));
  const server = net.createServer((socket) => void socket.end(sent));
  server.listen(0, "127.0.0.1");
  ends.push(() => server.close());
  await once(server, "listening");
  const { port } = server.address() as net.AddressInfo;
  const relay = await Relay.to(port, { bitsPerSecond: 1_000_000, delayMs: 20 });
  ends.push(() => relay.stop());
  // It is stopped for 15 ms before each look at the clock.
  const { now } = performance;
  let stoppedMs = 0;
  const clock = spyOn(performance, "now").mockImplementation(
    () => now.call(performance) + (stoppedMs += 15),
  );
  ends.push(() => clock.mockRestore());
  const client = net.connect(relay.port, "127.0.0.1");
  const parts: Buffer[] = [];
  client.on("data", (part: Buffer) => parts.push(part));
  await once(client, "close");
  expect(Buffer.concat(parts).equals(sent)).toBe(true);
});
