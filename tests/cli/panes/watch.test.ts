import { expect, test } from "bun:test";
import { join } from "node:path";
import { StateLock } from "../../../src/store/state-lock.ts";
import { listPanes } from "../../../src/cli/panes/list.ts";
import { followPanes } from "../../../src/cli/panes/service-panes.ts";
import { timeoutOf } from "../../../src/cli/panes/watch.ts";
import { createLog } from "../../../src/lib/log.ts";
import type { Info } from "../../../src/protocol/config.ts";
import { HostState } from "../../../src/protocol/hosts.ts";
import type { PaneState } from "../../../src/protocol/pane.ts";
import { fixture } from "../../support/fixture.ts";
import { configReply } from "../../support/fixture-config.ts";
import { pane } from "../../support/pane.ts";
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

test.each([
  ["another machine", pane({ id: "%1000000", host: "gpu-1" })],
  ["this machine", pane()],
  ["this machine, beside others", pane({ host: null })],
])(
  "following panes keeps those of %s until a restarted service has read it",
  async (_name, own) => {
    const stateDir = await temporary("watch");
    const flags = { config: join(stateDir, "panewatch.yaml") };
    const lock = await StateLock.take(stateDir, { log: createLog(() => {}) });
    const start = async (panes: PaneState[], readAt: number) => {
      let info = infoRead(readAt);
      const app = service({ localSecret: "local", info: () => info });
      const show = (read_at: number) => {
        info = infoRead(read_at);
        const gpu = fixture(HostState, { name: "gpu-1", kind: "ssh", watch: true, read_at });
        app.hub.hold({ panes, styles: new Map(), ...(own.host ? { hosts: [gpu] } : {}) });
      };
      show(readAt);
      const server = app.listen();
      const address = { host: "127.0.0.1", port: server.port };
      await lock.tell(address, "local");
      const read = () => {
        show(1001);
        app.hub.tell();
      };
      return { server, read };
    };
    const first = await start([own], 1000);
    const following = followPanes(flags);
    const listed = async () => (await following.next()).value.map(({ id }) => id);
    expect(await listed()).toEqual([own.id]);
    await first.server.stop();
    const next = await start([], 0);
    try {
      expect(await listed()).toEqual([own.id]);
      const list = () => listPanes(flags);
      await expect(list()).rejects.toThrow("no pane is known yet");
      next.read();
      expect(await listed()).toEqual([]);
      expect(await list()).toStartWith("no panes");
    } finally {
      await following[Symbol.asyncDispose]();
      await lock.release();
      await next.server.stop();
    }
  },
);

/** Of a service whose last successful pass over this machine was at `last_success_at`. */
function infoRead(last_success_at: number): Info {
  const { _info } = configReply();
  const { terminal_provider_v1, ...others } = _info.capabilities;
  const health = { ...terminal_provider_v1.health, last_success_at };
  const capabilities = { ...others, terminal_provider_v1: { ...terminal_provider_v1, health } };
  return { ..._info, capabilities };
}

test("following panes with another service's secret ends with an error", async () => {
  const stateDir = await temporary("watch");
  const server = service({ token: "sesame" }).listen();
  const lock = await StateLock.take(stateDir, { log: createLog(() => {}) });
  const address = { host: "127.0.0.1", port: server.port };
  try {
    await lock.tell(address, "of another service");
    const first = followPanes({ config: join(stateDir, "c.yaml") }).next();
    expect(await first.then(JSON.stringify, String)).toContain("bad or missing token");
  } finally {
    await lock.release();
    await server.stop();
  }
});
