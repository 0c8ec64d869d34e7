import { expect, test } from "bun:test";
import { lockStateDir } from "../../../src/cli/state-lock.ts";
import { followPanes } from "../../../src/cli/panes/service-panes.ts";
import { timeoutOf } from "../../../src/cli/panes/watch.ts";
import { createLog } from "../../../src/lib/log.ts";
import { service } from "../../support/service.ts";
import { temporary } from "../../support/temporary.ts";

test.each([
  ["0", 0],
  ["0.2", 200],
  ["2147483", 2_147_483_000],
])("a timeout of %s seconds is one of %d ms", (typed, ms) => {
  expect(timeoutOf(typed)).toEqual({ ms });
});

// A timer with a delay above 2^31 - 1 ms fires at once.
test.each([["-1"], [""], ["soon"], ["NaN"], ["2147484"], ["Infinity"]])(
  "%p is no timeout",
  (typed) => {
    expect(() => timeoutOf(typed)).toThrow("at most 2147483 (24 days)");
  },
);

test("following panes with another service's secret ends with an error", async () => {
  const stateDir = await temporary("watch");
  const server = service({ token: "sesame" }).listen();
  const lock = await lockStateDir(stateDir, { log: createLog(() => {}) });
  const address = { host: "127.0.0.1", port: server.port, secret: "of another service" };
  try {
    await lock?.tell({ pid: process.pid, address });
    const first = followPanes(stateDir).next();
    expect(await first.then(JSON.stringify, String)).toContain("bad or missing token");
  } finally {
    await lock?.release();
    await server.stop();
  }
});
