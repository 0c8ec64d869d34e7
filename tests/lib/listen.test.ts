import { expect, test } from "bun:test";
import { listenFailure, nextFreePort } from "../../src/lib/address.ts";

const HOST = "127.0.0.1";

test("a port that another program has is passed over", async () => {
  using taken = Bun.listen({ hostname: HOST, port: 0, socket: { data() {} } });
  expect(await listenFailure(HOST, taken.port)).toBe("EADDRINUSE");
  const next = await nextFreePort(HOST, taken.port);
  expect(next).toBeGreaterThan(taken.port);
  expect(await listenFailure(HOST, next)).toBeNull();
});
