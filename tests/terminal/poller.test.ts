import { afterEach, beforeEach, describe, expect, test } from "bun:test";
import type { TerminalUse } from "../../src/detect/finding.ts";
import { PaneOverride } from "../../src/protocol/config.ts";
import type { ContinueThen } from "../../src/protocol/pane.ts";
import { ProviderError } from "../../src/terminal/provider.ts";
import { fixture } from "../support/fixture.ts";
import { PollerStage, SETTINGS } from "../support/poller.ts";
import { until } from "../support/until.ts";

let stage: PollerStage;
beforeEach(() => {
  stage = PollerStage.open();
});
afterEach(() => stage.poller.stop());

const override = (target: string, members: Partial<PaneOverride> = {}) =>
  fixture(PaneOverride, { target, ...members });
/** Waits as long as the looks after an action take, measured on another poller. */
async function afterAllLooks(): Promise<void> {
  const other = PollerStage.open();
  const { id } = other.provider.open({ text: "still" });
  await other.start();
  const looks = other.provider.calls.captured.length;
  other.poller.noteAction(id);
  await until(() => other.provider.calls.captured.length === looks + 4);
  await other.poller.stop();
}

const captured = () => stage.provider.calls.captured;

/** From now on every listing holds the same objects, as when nothing changes. */
async function listsTheSame(): Promise<void> {
  const listing = await stage.provider.list(new AbortController().signal);
  stage.provider.list = async () => listing;
}

describe("captures", () => {
  test("take every pane once, then only what may have changed", async () => {
    const [a, b] = [stage.provider.open({ text: "a" }), stage.provider.open({ text: "b" })];
    stage.clock.advance(3);
    await stage.start();
    expect(captured()).toEqual([[a.id, b.id]]);
    await stage.pass(2);
    await stage.pass(1);
    expect(captured()).toHaveLength(1);
    stage.provider.print(b.id, "more");
    await stage.pass(1);
    expect(captured().slice(1)).toEqual([[b.id]]);
    expect(stage.pane(b.id).lines).toEqual(["b", "more"]);
  });

  test("tell when they were taken, not when the pass began that has listed panes before", async () => {
    const id = await stage.shown({ text: "before" }, 3);
    const list = stage.provider.list.bind(stage.provider);
    stage.provider.list = async (signal) => {
      const listing = await list(signal);
      stage.clock.advance(2);
      return listing;
    };
    stage.provider.show(id, "after");
    await stage.pass(1);
    expect(stage.pane(id).updated).toBe(stage.clock.now());
  });

  test("see a screen that is redrawn in place, also in the second of the last capture", async () => {
    const id = await stage.shown({ text: "12:00" });
    stage.provider.show(id, "12:01");
    await stage.pass(0.2);
    expect(stage.pane(id).lines).toEqual(["12:01"]);
  });

  test("take the quiet ones together every 5 seconds", async () => {
    const ids = [1, 2, 3].map(() => stage.provider.open({ text: "quiet" }).id);
    stage.clock.advance(3);
    await stage.start();
    for (let second = 0; second < 12; second++) await stage.pass(1);
    expect(captured()).toEqual([ids, ids, ids]);
    expect(stage.provider.calls.list).toBe(13);
  });

  test("grow rarer when they never find anything, until one does", async () => {
    const pane = stage.provider.open({ text: "quiet" });
    stage.clock.advance(3);
    await stage.start();
    const times: number[] = [];
    const from = stage.clock.now();
    const watch = async (seconds: number) => {
      for (let second = 0; second < seconds; second++) {
        const before = captured().length;
        await stage.pass(1);
        if (captured().length > before) times.push(Math.round(stage.clock.now() - from));
      }
    };
    await watch(50);
    expect(times).toEqual([5, 10, 15, 30, 45]);
    pane.text = "changed, silently";
    await watch(20);
    expect(times.slice(5)).toEqual([60, 65, 70]);
    expect(stage.pane(pane.id).lines).toEqual(["changed, silently"]);
  });

  test("tell of a quiet pane too that it cannot be read", async () => {
    const id = await stage.shown({ text: "quiet" }, 3);
    stage.provider.paneErrors.set(id, new Error("too large"));
    await stage.pass(5);
    expect(stage.pane(id)).toMatchObject({ lines: ["quiet"], stale: true, actionable: false });
  });

  test("are made anew when the number of lines or the patterns change", async () => {
    const id = await stage.shown({ text: "one\ntwo\nshall we go" });
    await stage.pass(3);
    stage.settings = { ...SETTINGS, capture_lines: 2 };
    await stage.pass(0.1);
    expect(stage.pane(id).lines).toEqual(["two", "shall we go"]);
    stage.settings = { ...stage.settings, generic_prompt_patterns: ["shall we"] };
    await stage.pass(0.1);
    expect(stage.pane(id)).toMatchObject({
      status: "needs_input",
      reason: "generic.pattern.prompt",
    });
  });
});

describe("who runs in a pane", () => {
  const DIALOG = [
    "─".repeat(80),
    " Bash command",
    "",
    "   npm test",
    "",
    " Do you want to proceed?",
    " ❯ 1. Yes",
    "   2. No",
    "",
    " Esc to cancel · Tab to amend",
  ].join("\n");

  test("is asked again behind a screen that was drawn once, until it has settled", async () => {
    const script = ["sh", "work.sh"];
    const pane = stage.provider.open({ command: "sh", processes: [script], text: DIALOG });
    const hidden = () => stage.hub.current.sights.find(({ state }) => state.id === pane.id);
    await stage.start();
    await stage.pass(0.7);
    // The process shows late, and the screen does not change.
    pane.processes = [script, ["claude"]];
    await stage.pass(0.7);
    expect(hidden()).toMatchObject({
      isShown: true,
      state: { kind: "agent_a", question: "Do you want to proceed?" },
    });
  });

  test("costs nothing once it has settled, and is not asked again for ever", async () => {
    stage.provider.open({ command: "sh", processes: [["sh", "work.sh"]], text: "quiet" });
    await stage.start();
    for (let second = 0; second < 6; second++) await stage.pass(1);
    const { processes } = stage.provider.calls;
    for (let second = 0; second < 6; second++) await stage.pass(1);
    expect(stage.provider.calls.processes).toBe(processes);
  });

  test("is asked again after every change of the screen, also where passes are rare", async () => {
    const pane = stage.provider.open({ command: "sh", processes: [["sh", "work.sh"]], text: "a" });
    await stage.start();
    for (let second = 0; second < 3; second++) await stage.pass(10);
    stage.provider.show(pane.id, DIALOG);
    await stage.pass(10);
    pane.processes = [["sh", "work.sh"], ["claude"]];
    await stage.pass(10);
    expect(stage.pane(pane.id)).toMatchObject({ kind: "agent_a", status: "needs_input" });
  });
});

describe("a snapshot", () => {
  test("follows every pass, and an unchanged pane stays the same object", async () => {
    const id = await stage.shown({ text: "a" });
    expect(stage.pane(id).changed).toBe(true);
    const first = await stage.pass(3);
    const second = await stage.pass(1);
    expect(second.sequence).toBe(first.sequence + 1);
    expect(second.panes).toBe(first.panes);
    expect(second.panes[0]?.changed).toBe(false);
  });

  test("makes no state anew of a pane that rests, however long its name is", async () => {
    let named = 0;
    const nameOf = () => (named++, "t".repeat(600));
    stage = PollerStage.open({ nameOf });
    await stage.rested({ text: "a" });
    await listsTheSame();
    await stage.pass(3);
    const before = named;
    await stage.pass(3);
    // Once, to compare it with the published name.
    expect(named - before).toBe(1);
  });

  test("names the machine of a pane that rests as soon as others are watched, and no longer", async () => {
    stage.settings = { ...stage.settings, overrides: [override("gone:1.1")] };
    await stage.rested({ text: "a" });
    await listsTheSame();
    await stage.pass(3);
    const alone = await stage.pass(3);
    expect(alone.panes.map((pane) => "host" in pane)).toEqual([false, false]);
    stage.settings = { ...stage.settings, host: null };
    const beside = await stage.pass();
    expect(beside.panes.map(({ host }) => host)).toEqual([null, null]);
    expect((await stage.pass()).panes).toBe(beside.panes);
    stage.settings = { ...SETTINGS, overrides: stage.settings.overrides };
    const again = await stage.pass();
    expect(again.panes.map((pane) => "host" in pane)).toEqual([false, false]);
  });

  test("holds a pane that rested and has another size until it is drawn, and no longer", async () => {
    const pane = await stage.rested({ text: "overwrite? (y/n)" });
    const { reason } = stage.pane(pane.id);
    pane.width = 100;
    await stage.pass(1);
    await listsTheSame();
    for (let pass = 0; pass < 3; pass++) await stage.pass(0.1);
    expect(stage.pane(pane.id).reason).toBe("settle.drawing");
    await stage.pass(1);
    expect(stage.pane(pane.id)).toMatchObject({ status: "needs_input", reason });
  });

  test("asks nobody any more once its program has ended, also where that leaves no trace", async () => {
    const pane = await stage.rested({ text: "overwrite? (y/n)" });
    expect(stage.pane(pane.id).status).toBe("needs_input");
    pane.hasEnded = true;
    await stage.pass(3);
    expect(stage.pane(pane.id)).toMatchObject({ status: "idle", question: null, menu: [] });
  });

  test("tells what is to be sent to a pane by itself, and of one that rests at once", async () => {
    let asked: ContinueThen | undefined;
    stage = PollerStage.open({ deliveries: () => ({ continue_then: asked && { ...asked } }) });
    await stage.rested({ command: "agent" });
    await listsTheSame();
    await stage.pass(3);
    const set = { state: "set", at: 5, text: "continue", reason: null } as const;
    for (asked of [undefined, set, { ...set, state: "sent" as const }, undefined]) {
      const told = await stage.pass();
      expect(told.panes[0]?.continue_then).toEqual(asked ?? null);
      expect((await stage.pass()).panes).toBe(told.panes);
    }
  });

  test("tells the session that is in a pane, and of one that rests at once", async () => {
    let session: string | null = null;
    stage = PollerStage.open({ agentIn: () => session });
    await stage.rested({ command: "agent" });
    await listsTheSame();
    await stage.pass(3);
    for (session of ["one", "other", null])
      expect((await stage.pass()).panes[0]?.agent_id).toBe(session);
  });

  test("an absent target becomes its pane, and offline again", async () => {
    stage.settings = { ...SETTINGS, overrides: [override("late:7.0", { name: "Late" })] };
    const { panes } = await stage.start();
    expect(panes).toMatchObject([{ id: "cfg:late:7.0", status: "offline", name: "Late" }]);
    const pane = stage.provider.open({ session: "late", windowIndex: 7 });
    await stage.pass();
    expect(stage.hub.current.panes).toMatchObject([{ id: pane.id, name: "Late", status: "idle" }]);
    stage.provider.close(pane.id);
    await stage.pass();
    expect(stage.hub.current.panes).toMatchObject([{ id: "cfg:late:7.0", status: "offline" }]);
  });

  test("has the kind, name and star that a person gave a target, at once", async () => {
    const id = await stage.shown({ session: "mine", text: "text" });
    expect(stage.pane(id)).toMatchObject({ kind: "generic", name: "mine:1.0", starred: false });
    const mine = override("mine:1.0", { name: "Mine", kind: "agent_b", star: true });
    stage.settings = { ...SETTINGS, overrides: [mine, override("mine:1.0", { name: "Second" })] };
    await stage.pass();
    expect(stage.pane(id)).toMatchObject({ kind: "agent_b", name: "Mine", starred: true });
  });

  test("is made also where the processes cannot be read", async () => {
    stage.provider.processes = () => Promise.reject(new Error("no such process"));
    const id = await stage.shown({ text: "sure? (y/n)" });
    expect(stage.pane(id).status).toBe("needs_input");
  });
});

describe("a failed pass proves nothing", () => {
  test("the snapshot stays, stale and not actionable, until a pass succeeds again", async () => {
    const id = await stage.shown({ text: "sure? (y/n)" });
    await stage.pass(3);
    const before = stage.pane(id);
    stage.provider.listError = new Error("cannot list panes: timed out");
    await stage.pass();
    expect(stage.pane(id)).toEqual({ ...before, stale: true, actionable: false });
    // Listeners of the sights, such as queued messages, must not take them for fresh.
    expect(stage.hub.current.sights).toMatchObject([{ state: { stale: true, actionable: false } }]);
    expect(stage.poller.health()).toMatchObject({
      status: "degraded",
      last_error: "cannot list panes: timed out",
    });
    const during = await stage.pass();
    const still = await stage.pass();
    expect(still.panes).toBe(during.panes);
    expect(stage.log).toHaveLength(1);
    stage.provider.listError = null;
    await stage.pass();
    expect(stage.pane(id)).toBe(before);
    expect(stage.poller.health()).toMatchObject({ status: "ready", last_error: null });
  });

  test("what the multiplexer said is told without its escape sequences", async () => {
    await stage.start();
    const said = "server \x1b[31mexploded\x1b[0m\x07\n\x1b]0;title\x07twice";
    stage.provider.listError = new Error(said);
    await stage.pass();
    expect(stage.poller.health().last_error).toBe("server exploded twice");
    stage.provider.listError = new ProviderError("unavailable", said, said);
    await stage.pass();
    expect(stage.poller.health().last_error).toBe("server exploded twice");
  });

  test("causes that alternate are logged once each, and again after a good pass", async () => {
    await stage.start();
    const fail = async (why: string) => {
      stage.provider.listError = new Error(why);
      await stage.pass();
    };
    for (const why of ["refused", "gone", "refused", "gone"]) await fail(why);
    expect(stage.log).toHaveLength(2);
    stage.provider.listError = null;
    await stage.pass();
    await fail("refused");
    expect(stage.log).toHaveLength(4);
  });

  test("a failed capture of all is a failed pass", async () => {
    const id = await stage.shown({ text: "a" });
    stage.provider.print(id, "b");
    stage.provider.captureError = new Error("the server ended");
    await stage.pass();
    expect(stage.pane(id)).toMatchObject({ lines: ["a"], stale: true, actionable: false });
    stage.provider.captureError = null;
    await stage.pass();
    expect(stage.pane(id)).toMatchObject({ lines: ["a", "b"], stale: false, changed: true });
  });

  test("a first pass that fails lets the start go on, with nothing inferred", async () => {
    stage.provider.open();
    stage.provider.listError = new Error("broken");
    const { panes } = await stage.start();
    expect(panes).toEqual([]);
    expect(stage.poller.health()).toMatchObject({ status: "degraded", last_success_at: 0 });
  });

  test("a missing executable is unavailable", async () => {
    await stage.start();
    stage.provider.listError = new ProviderError("unavailable", "binary_missing", "tmux: gone");
    await stage.pass();
    expect(stage.poller.health()).toMatchObject({
      status: "unavailable",
      last_error: "binary_missing",
    });
    expect(stage.log.join()).toContain("tmux: gone");
  });

  test("one pane whose capture fails is stale alone and keeps what it showed", async () => {
    const [bad, good] = [stage.provider.open({ text: "bad" }), stage.provider.open()];
    await stage.start();
    stage.provider.paneErrors.set(bad.id, new Error("too large"));
    stage.provider.print(bad.id, "unseen");
    await stage.pass();
    expect(stage.pane(bad.id)).toMatchObject({ lines: ["bad"], stale: true, actionable: false });
    expect(stage.pane(good.id)).toMatchObject({ stale: false, actionable: true });
    expect(stage.poller.health().status).toBe("ready");
    stage.provider.paneErrors.clear();
    await stage.pass();
    expect(stage.pane(bad.id)).toMatchObject({ lines: ["bad", "unseen"], stale: false });
  });

  test("a program that came while a capture failed is known by the next one", async () => {
    stage.settings = { ...stage.settings, include_shells: true };
    const pane = stage.provider.open({ text: "still", command: "vim" });
    await stage.start();
    stage.provider.paneErrors.set(pane.id, new Error("too large"));
    pane.command = "zsh";
    await listsTheSame();
    await stage.pass();
    stage.provider.paneErrors.clear();
    await stage.pass();
    expect(stage.pane(pane.id)).toMatchObject({ kind: "shell", stale: false });
  });

  test("a look after a failed pass is a whole pass: one pane alone proves nothing", async () => {
    const id = await stage.shown({ text: "a" });
    stage.provider.listError = new Error("broken");
    await stage.pass();
    stage.poller.noteAction(id);
    expect(await stage.published()).toMatchObject({ panes: [{ stale: true, actionable: false }] });
    stage.provider.listError = null;
    const recovered = await stage.published();
    expect(recovered.panes).toMatchObject([{ stale: false, actionable: true }]);
    expect(stage.poller.health().status).toBe("ready");
  });

  test("a pane that was never captured is shown, but nobody may act on it", async () => {
    const { id } = stage.provider.open({ text: "a" });
    stage.provider.paneErrors.set(id, new Error("too large"));
    await stage.start();
    expect(stage.pane(id)).toMatchObject({ lines: [], stale: true, actionable: false });
    stage.provider.paneErrors.clear();
    await stage.pass();
    expect(stage.pane(id)).toMatchObject({ lines: ["a"], stale: false, status: "idle" });
  });

  test("patterns that miss their deadline keep the finding before, and are tried again", async () => {
    const id = await stage.shown({ text: "sure? (y/n)" });
    stage.matcher.isStuck = true;
    stage.provider.show(id, "panic: it broke");
    await stage.pass();
    expect(stage.pane(id)).toMatchObject({ status: "needs_input", question: "sure? (y/n)" });
    expect(stage.pane(id).lines).toEqual(["panic: it broke"]);
    stage.matcher.isStuck = false;
    await stage.pass();
    expect(stage.pane(id)).toMatchObject({ status: "error", question: null });
  });

  test("patterns that give no answer hide no prompt that needs none of them", async () => {
    const id = await stage.shown({ text: "at work" });
    stage.matcher.isStuck = true;
    for (const asked of ["Overwrite it? (y/n)", "And that? (y/n)"]) {
      stage.provider.show(id, asked);
      await stage.pass(3);
      expect(stage.pane(id)).toMatchObject({ status: "needs_input", question: asked });
    }
  });
});

test("a fleet is read in slices, and every pane of it is published once", async () => {
  const ids = Array.from({ length: 95 }, (_, n) => stage.provider.open({ text: `pane ${n}` }).id);
  const { panes } = await stage.start();
  expect(panes.map((pane) => pane.id)).toEqual(ids);
  expect(panes.map((pane) => pane.lines[0])).toEqual(ids.map((_, n) => `pane ${n}`));
});

describe("panes come and go", () => {
  test("one that vanishes in mid-pass is gone from that snapshot on", async () => {
    const [a, b] = [stage.provider.open(), stage.provider.open()];
    await stage.start();
    stage.provider.paneErrors.set(a.id, "gone");
    stage.provider.print(a.id, "last words");
    await stage.pass();
    expect(stage.hub.current.panes.map((pane) => pane.id)).toEqual([b.id]);
    expect(stage.hub.resolve(a.id)).toBeNull();
    expect(stage.poller.health().status).toBe("ready");
  });

  test("one that has gone is forgotten, were it the same that comes back", async () => {
    stage.provider.open();
    const pane = stage.provider.open({ text: "here" });
    await stage.start();
    stage.poller.noteAction(pane.id);
    await stage.pass(1);
    expect(stage.pane(pane.id).interacted).toBeGreaterThan(0);
    stage.provider.close(pane.id);
    await stage.pass(1);
    stage.provider.panes.push(pane);
    await stage.pass(1);
    expect(stage.pane(pane.id).interacted).toBe(0);
  });

  test("the same ids of another server, or of another process, are other panes", async () => {
    const id = await stage.shown({ text: "first" });
    stage.poller.noteAction(id);
    await stage.pass(3);
    expect(stage.pane(id).interacted).toBeGreaterThan(0);
    stage.provider.respawn(id, "second");
    await stage.pass();
    expect(stage.pane(id)).toMatchObject({ lines: ["second"], interacted: 0, status: "idle" });
    stage.provider.stopServer();
    expect(stage.provider.open({ text: "third" }).id).toBe(id);
    await stage.pass();
    expect(stage.pane(id)).toMatchObject({ lines: ["third"], changed: true, status: "idle" });
  });
});

describe("rhythm", () => {
  test("wakes during a pass give one more pass, and passes never overlap", async () => {
    stage.provider.open();
    await stage.start();
    const gate = Promise.withResolvers<void>();
    stage.provider.gate = gate.promise;
    const { list } = stage.provider.calls;
    for (let i = 0; i < 5; i++) stage.poller.wake();
    await until(() => stage.provider.calls.list === list + 1);
    for (let i = 0; i < 5; i++) stage.poller.wake();
    gate.resolve();
    await until(() => stage.provider.calls.list === list + 2);
    await stage.pass();
    expect(stage.provider.calls.list).toBe(list + 3);
  });

  test("the first pass goes on while those who listen are made, and is published when they are", async () => {
    stage.provider.open({ text: "a" });
    const ready = Promise.withResolvers<void>();
    stage.poller.start(ready.promise);
    await until(() => captured().length === 1);
    expect(stage.hub.current.sequence).toBe(0);
    const first = stage.published();
    ready.resolve();
    expect((await first).transitions).toMatchObject([{ before: null, isNews: false }]);
  });

  test("a stop does not wait for listeners that are never made", async () => {
    stage.provider.open({ text: "a" });
    stage.poller.start(new Promise(() => {}));
    await until(() => captured().length === 1);
    await stage.poller.stop();
    expect(stage.hub.current.sequence).toBe(0);
  });

  test("a pass that is asked for in the middle of another one is the one behind it", async () => {
    await stage.start();
    const middle = Promise.withResolvers<void>();
    stage.provider.gate = middle.promise;
    stage.poller.wake();
    await until(async () => stage.provider.calls.list === 2);
    const asked = stage.poller.pass();
    const { id } = stage.provider.open({ command: "sh", isCreatedHere: true });
    middle.resolve();
    await asked;
    expect(stage.pane(id).kind).toBe("shell");
    expect(stage.provider.calls.list).toBe(3);
  });

  test("a pass that is asked for is over when it has failed, or the service ends", async () => {
    await stage.start();
    stage.provider.listError = new Error("no answer");
    await stage.poller.pass();
    expect(stage.poller.health().status).toBe("degraded");
    stage.provider.gate = new Promise(() => {});
    const asked = stage.poller.pass();
    await stage.poller.stop();
    await asked;
  });

  test("passes repeat by themselves", async () => {
    stage.settings = { ...SETTINGS, poll_interval: 0.02 };
    await stage.start();
    await until(() => stage.provider.calls.list >= 4);
  });

  test("stop ends a pass that hangs, and nothing runs afterwards", async () => {
    stage.provider.open();
    const other = stage.provider.open({ text: "sure? (y/n)" });
    await stage.start();
    stage.poller.noteAction("%1");
    const gate = Promise.withResolvers<void>();
    stage.provider.gate = gate.promise;
    stage.poller.wake();
    const stopped = stage.poller.stop();
    gate.resolve();
    await stopped;
    const { list } = stage.provider.calls;
    const { sequence } = stage.hub.current;
    stage.poller.wake();
    // An action that had begun before ends only now.
    stage.poller.noteAction(other.id);
    await afterAllLooks();
    expect(stage.provider.calls.list).toBe(list);
    expect(stage.hub.current.sequence).toBe(sequence);
    expect(stage.poller.health().last_error).toBeNull();
  });
});

describe("an action", () => {
  test("is stamped, and its late echo is seen long before the next pass", async () => {
    const id = await stage.shown({ text: "sure? (y/n)" });
    await stage.pass(3);
    stage.clock.advance(1);
    stage.poller.noteAction(id);
    const { captured: captures } = stage.provider.calls;
    const looks = captures.length;
    await until(() => captures.length > looks);
    stage.provider.show(id, "yes, done");
    await until(() => stage.pane(id).lines[0] === "yes, done");
    expect(stage.pane(id)).toMatchObject({ question: null, interacted: stage.clock.now() });
  });

  test("is looked after behind its first echo too, which may be over in a moment", async () => {
    const { id } = stage.provider.open({ text: "a" });
    stage.provider.open({ text: "other" });
    await stage.start();
    await stage.pass(3);
    stage.provider.show(id, "half");
    const looks = captured().length;
    stage.poller.noteAction(id);
    await until(() => stage.pane(id).lines[0] === "half");
    stage.provider.show(id, "whole");
    await until(() => stage.pane(id).lines[0] === "whole");
    await afterAllLooks();
    expect(captured().slice(looks)).toEqual([[id], [id], [id], [id]]);
  });

  test("makes its pane work at once, until a screen from long enough after it tells what came", async () => {
    stage.settings = { ...SETTINGS, include_shells: true };
    const id = await stage.shown({ text: "$ ", command: "bash" });
    await stage.pass(3);
    const states: (string | undefined)[] = [stage.pane(id).status];
    stage.poller.noteAction(id);
    states.push(stage.pane(id).status, stage.pane(id).reason);
    await stage.pass(1);
    states.push(stage.pane(id).status);
    // A failed capture ends nothing.
    stage.provider.paneErrors.set(id, new Error("too large"));
    stage.provider.show(id, "$ make");
    await stage.pass(2);
    states.push(stage.pane(id).status);
    stage.provider.paneErrors.clear();
    await stage.pass(0.1);
    states.push(stage.pane(id).status);
    expect(states).toEqual(["idle", "working", "settle.sent", "working", "working", "idle"]);
    for (let rest = 0; rest < 3; rest++) await stage.pass(1);
    expect(stage.pane(id).status).toBe("idle");
  });

  test("on a quiet pane counts as work no longer than that", async () => {
    const { id } = stage.provider.open({ text: "$ ", command: "bash" });
    stage.settings = { ...SETTINGS, include_shells: true };
    await stage.start();
    for (let rest = 0; rest < 4; rest++) await stage.pass(3);
    stage.poller.noteAction(id);
    await afterAllLooks();
    await stage.pass(1);
    expect(stage.pane(id).status).toBe("working");
    await stage.pass(1);
    expect(stage.pane(id).status).toBe("idle");
  });

  test("is work for as long as the program that it started runs silently, and takes no keys", async () => {
    const { id } = stage.provider.open({ text: "$ ", command: "bash" });
    stage.settings = { ...SETTINGS, include_shells: true };
    let use: TerminalUse | null = { waiting: "none", lines: true, echo: true };
    Object.assign(stage.provider, { terminalUse: async () => use });
    await stage.start();
    await stage.pass(3);
    expect(stage.pane(id).status).toBe("idle");
    stage.poller.noteAction(id);
    for (let silent = 0; silent < 4; silent++) await stage.pass(3);
    expect(stage.pane(id).status).toBe("working");
    use = { waiting: "reads", lines: true, echo: true };
    await stage.pass(1);
    expect(stage.pane(id).status).toBe("idle");
    use = { waiting: "polls", lines: true, echo: true };
    await stage.pass(1);
    expect(stage.pane(id).status).toBe("idle");
  });

  test("does not hide what its pane asks", async () => {
    const id = await stage.shown({ text: "sure? (y/n)" });
    stage.poller.noteAction(id);
    expect(stage.pane(id)).toMatchObject({ status: "needs_input", question: "sure? (y/n)" });
  });

  test("in the middle of a pass tells nothing of what that has found so far", async () => {
    const ids = Array.from({ length: 30 }, () => stage.provider.open({ text: "before" }).id);
    await stage.start();
    const { match } = stage.matcher;
    let slices = 0;
    stage.matcher.match = async (...batch) => {
      if (++slices === 2) stage.poller.noteAction(ids.at(-1) ?? "");
      return match.apply(stage.matcher, batch);
    };
    for (const id of ids) stage.provider.respawn(id, "after");
    const midway = stage.published();
    stage.poller.wake();
    expect((await midway).panes.map(({ id }) => id)).toEqual(ids);
    expect((await midway).panes.map(({ lines }) => lines)).toEqual(ids.map(() => ["before"]));
  });

  test("right after another one is looked after once", async () => {
    const id = await stage.shown({ text: "a" });
    await stage.pass(3);
    const looks = captured().length;
    stage.poller.noteAction(id);
    stage.poller.noteAction(id);
    await afterAllLooks();
    await until(() => captured().length >= looks + 4);
    expect(captured()).toHaveLength(looks + 4);
  });

  test("on a pane that has another program by then is left to the next pass", async () => {
    const id = await stage.shown({ text: "first" });
    await stage.pass(3);
    const looks = captured().length;
    stage.poller.noteAction(id);
    stage.provider.respawn(id, "second");
    await until(() => captured().length >= looks + 4);
    expect(stage.pane(id)).toMatchObject({ lines: ["first"] });
    await stage.pass(1);
    expect(stage.pane(id)).toMatchObject({ lines: ["second"], interacted: 0 });
  });

  test("on a pane that does not change ends after the last look", async () => {
    const id = await stage.shown({ text: "a" });
    await stage.pass(3);
    const looks = captured().length;
    const { sequence } = stage.hub.current;
    stage.poller.noteAction(id);
    await until(() => captured().length === looks + 4);
    await stage.pass(1);
    expect(captured().slice(looks)).toEqual([[id], [id], [id], [id]]);
    // One for the action, one for the pass: a look without news publishes nothing.
    expect(stage.hub.current.sequence).toBe(sequence + 2);
  });
});

describe("a reading", () => {
  test("sees the pane as it is now, and leaves the change to the next pass", async () => {
    const id = await stage.shown({ text: "quiet" });
    await stage.pass(3);
    const { sequence } = stage.hub.current;
    stage.provider.show(id, "sure? (y/n)");
    const seen = await stage.poller.read(id);
    expect(seen?.prompt?.question).toBe("sure? (y/n)");
    expect(seen?.state).toMatchObject({ id, status: "needs_input", actionable: true });
    expect(stage.hub.current.sequence).toBe(sequence);
    expect(stage.pane(id).status).toBe("idle");
    await stage.pass(1);
    expect(stage.pane(id)).toMatchObject({ status: "needs_input", changed: true });
  });

  test("of a pane that is gone gives null, and a failure is thrown", async () => {
    const id = await stage.shown({});
    expect(await stage.poller.read("%99")).toBeNull();
    stage.provider.listError = new Error("broken");
    await expect(stage.poller.read(id)).rejects.toThrow("broken");
    stage.provider.listError = null;
    stage.provider.paneErrors.set(id, new Error("too large"));
    await expect(stage.poller.read(id)).rejects.toThrow("too large");
  });
});
