import { expect, test } from "bun:test";
import { readdirSync } from "node:fs";
import { chmod, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { systemClock } from "../../src/lib/clock.ts";
import { openMux } from "../support/mux.ts";
import { PollerStage, SETTINGS } from "../support/poller.ts";
import { PrivateTmux } from "../support/tmux.ts";
import { until } from "../support/until.ts";

/** Pipes of ended children are closed by garbage collection. */
function openDescriptors(): number {
  Bun.gc(true);
  return readdirSync("/proc/self/fd").length;
}

test("a tmux server killed and restarted under load is followed by the true state of the new one", async () => {
  const tmux = await PrivateTmux.idle();
  const provider = await openMux(tmux);
  const stage = PollerStage.open({ provider, clock: systemClock });
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
      // Looks and readings run beside the passes while the server ends.
      for (const id of ids) stage.poller.noteAction(id);
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
      await until(() => stage.hub.current.panes.length === 0);
      await until(() => stage.poller.health().status === "ready");
    }
    await until(() => openDescriptors() <= descriptors + 2);
  } finally {
    await stage.poller.stop();
    await tmux.stop();
  }
});

test("an agent that a script starts, and that draws its dialog only once, is published as waiting", async () => {
  const tmux = await PrivateTmux.start({ width: 80, height: 24 });
  const stage = PollerStage.open({ provider: await openMux(tmux), clock: systemClock });
  stage.settings = { ...SETTINGS, poll_interval: 0.1 };
  try {
    const go = join(tmux.folder, "go");
    const rule = "─".repeat(79);
    const dialog = [rule, " Bash command", "", "   npm test", "", " Do you want to proceed?"];
    // The screen does not name the agent: only its process does.
    const options = [" ❯ 1. Yes", "   2. No", "", " Enter to confirm · Esc to cancel"];
    await writeFile(join(tmux.folder, "dialog"), `${[...dialog, ...options].join("\n")}\n`);
    const agent = join(tmux.folder, "claude");
    const draw = `process.stdout.write(require("fs").readFileSync("${tmux.folder}/dialog"))`;
    await writeFile(agent, `#!${process.execPath}\n${draw};\nsetTimeout(() => {}, 600_000);\n`);
    await chmod(agent, 0o755);
    const script = join(tmux.folder, "work.sh");
    await writeFile(script, `while [ ! -e ${go} ]; do sleep 0.02; done\n${agent}\n`);
    const id = await tmux.open(["sh", script]);
    await stage.start();
    // A pass has read its processes, and keeps them for a while.
    await until(() => stage.hub.current.sights.some(({ state }) => state.id === id));
    await writeFile(go, "");
    const seen = await until(() =>
      stage.hub.current.panes.find((pane) => pane.id === id && pane.question !== null),
    );
    expect(seen).toMatchObject({ kind: "agent_a", question: "Do you want to proceed?" });
  } finally {
    await stage.poller.stop();
    await tmux.stop();
  }
});

test("a dialog above 900 blank rows of a high pane is captured whole", async () => {
  const tmux = await PrivateTmux.start({ width: 80, height: 1000 });
  const provider = await openMux(tmux);
  try {
    await writeFile(join(tmux.folder, "screen"), `${asking("\\033[995;1H  a task panel")}`);
    const id = await tmux.open([
      "sh",
      "-c",
      `printf "$(cat ${tmux.folder}/screen)"; exec sleep 600`,
    ]);
    const signal = new AbortController().signal;
    const text = await until(async () => {
      const panes = await provider.list(signal);
      const capture = (await provider.capture(panes, 200, signal)).get(id);
      return capture && "text" in capture && capture.text.includes("task panel")
        ? capture.text
        : null;
    });
    const lines = text.split("\n");
    expect(lines[1]).toBe(" Do you want to proceed?");
    expect(lines[994]).toBe("  a task panel");
  } finally {
    await tmux.stop();
  }
});

/** A dialog at the top of the screen, and something far below it. */
function asking(below: string): string {
  const rows = ["─".repeat(79), " Do you want to proceed?", " ❯ 1. Yes", "   2. No"];
  return `${rows.join("\n")}\n Esc to cancel · Tab to amend\n${below}`;
}
