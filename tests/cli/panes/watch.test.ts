import { expect, test } from "bun:test";
import { lockStateDir } from "../../../src/cli/state-lock.ts";
import { followPanes } from "../../../src/cli/panes/service-panes.ts";
import { sleep, timeoutOf } from "../../../src/cli/panes/watch.ts";
import { StartupError } from "../../../src/errors.ts";
import { createLog } from "../../../src/lib/log.ts";
import { service } from "../../support/service.ts";
import { temporary } from "../../support/temporary.ts";

test.each([
  ["0.2", [200]],
  // A timer with a delay above 2^31 - 1 ms fires at once.
  ["3000000", [2_147_483_647, 852_516_353]],
])("a timeout of %s seconds takes timers of %p ms", async (typed, expected) => {
  const naps: number[] = [];
  await sleep(timeoutOf(typed), async (ms) => void naps.push(ms));
  expect(naps).toEqual(expected);
});

test.each([[undefined], ["Infinity"]])("a timeout of %s never ends the wait", (typed) => {
  expect(timeoutOf(typed)).toBe(Infinity);
});

test.each([["-1"], [""], ["soon"], ["NaN"]])("%p is no timeout", (typed) => {
  expect(() => timeoutOf(typed)).toThrow(StartupError);
});

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
