import { expect, test } from "bun:test";
import { readdirSync } from "node:fs";
import { writeFile } from "node:fs/promises";
import { systemClock } from "../../src/lib/clock.ts";
import { openMux } from "../support/mux.ts";
import { PollerStage, SETTINGS } from "../support/poller.ts";
import { PrivateTmux } from "../support/tmux.ts";
import { until } from "../support/until.ts";

const openDescriptors = () => readdirSync("/proc/self/fd").length;

test("a server killed and restarted under load leads to the true state of the new one", async () => {
  const tmux = await PrivateTmux.idle();
  const provider = await openMux(tmux);
  const stage = new PollerStage({ provider, clock: systemClock });
  stage.settings = { ...SETTINGS, poll_interval: 0.02 };
  try {
    await stage.start();
    expect(stage.hub.current.panes).toEqual([]);
    const descriptors = openDescriptors();
    for (let round = 1; round <= 3; round++) {
      const ids: string[] = [];
      for (let i = 0; i < 8; i++) ids.push(await tmux.quiet());
      for (const id of ids) {
        const tty = await tmux.format(id, "#{pane_tty}");
        await writeFile(tty, `round ${round} of ${id}\r\n`);
      }
      // Looks and inspections run beside the passes while the server goes away.
      for (const id of ids) stage.poller.acted(id);
      await until(() => {
        const { panes } = stage.hub.current;
        const isTrue =
          panes.length === ids.length &&
          panes.every((pane) => pane.lines[0] === `round ${round} of ${pane.id}` && !pane.stale);
        return isTrue || null;
      });
      const inspections = Promise.allSettled(ids.map((id) => stage.poller.read(id)));
      await tmux.kill();
      for (const result of await inspections)
        if (result.status === "fulfilled" && result.value)
          expect(result.value.state.lines[0]).toBe(`round ${round} of ${result.value.pane.id}`);
      await until(() => stage.hub.current.panes.length === 0 || null);
      await until(() => stage.poller.health().status === "ready" || null);
    }
    await until(() => openDescriptors() <= descriptors + 2 || null);
  } finally {
    await stage.poller.stop();
    await tmux.stop();
  }
}, 60_000);

test("a window that is renamed and a pane that moves are seen under their new names", async () => {
  const tmux = await PrivateTmux.idle();
  const provider = await openMux(tmux);
  const stage = new PollerStage({ provider, clock: systemClock });
  stage.settings = { ...SETTINGS, poll_interval: 0.02 };
  try {
    const id = await tmux.quiet("before");
    await stage.start();
    expect(stage.pane(id).window).toBe("before");
    await tmux.command("rename-window", "-t", id, "after\tthis");
    await until(() => stage.pane(id).window.startsWith("after") || null);
    await tmux.command("move-pane", "-d", "-s", await tmux.quiet("other"), "-t", id);
    await until(() => stage.hub.current.panes.length === 2 || null);
    expect(new Set(stage.hub.current.panes.map((pane) => pane.target)).size).toBe(2);
  } finally {
    await stage.poller.stop();
    await tmux.stop();
  }
}, 60_000);
