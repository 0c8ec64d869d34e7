import { afterEach, beforeEach, describe, expect, spyOn, test } from "bun:test";
import type { TerminalUse } from "../../src/detect/finding.ts";
import { PaneOverride } from "../../src/protocol/config.ts";
import type { ContinueThen } from "../../src/protocol/pane.ts";
import { NO_NOTES } from "../../src/terminal/pane-notes.ts";
import { ProviderError } from "../../src/terminal/provider.ts";
import { FakeProvider } from "../support/fake-provider.ts";
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

describe("a capture", () => {
  test("is made of every pane once, then only of panes that may have changed", async () => {
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

  test("has the time at which it was taken, not that of the pass's listing", async () => {
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

  test("shows a screen that was redrawn in place in the second of the last capture", async () => {
    const id = await stage.shown({ text: "12:00" });
    stage.provider.show(id, "12:01");
    await stage.pass(0.2);
    expect(stage.pane(id).lines).toEqual(["12:01"]);
  });

  test("of quiet panes is made together every 5 seconds", async () => {
    const ids = [1, 2, 3].map(() => stage.provider.open({ text: "quiet" }).id);
    stage.clock.advance(3);
    await stage.start();
    for (let second = 0; second < 12; second++) await stage.pass(1);
    expect(captured()).toEqual([ids, ids, ids]);
    expect(stage.provider.calls.list).toBe(13);
  });

  test("of a quiet pane grows rarer while it finds nothing, and is frequent again after a change", async () => {
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

  test("of a quiet pane that fails makes the pane stale", async () => {
    const id = await stage.shown({ text: "quiet" }, 3);
    stage.provider.paneErrors.set(id, new Error("too large"));
    await stage.pass(5);
    expect(stage.pane(id)).toMatchObject({ lines: ["quiet"], stale: true, actionable: false });
  });

  test("is made again when the number of lines or the patterns change", async () => {
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

describe("the process in a pane", () => {
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

  test("is read again after a screen that was drawn once, until the pane has settled", async () => {
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

  test("which cannot be read is taken to be as it was", async () => {
    const agent = stage.provider.open({ command: "sh", processes: [["claude"]], text: DIALOG });
    const text = "Target environment ";
    const cursor = { row: 0, column: text.length, visible: true };
    const asking = stage.provider.open({ command: "deploy", text, cursor });
    stage.provider.terminalUse = async () => ({ waiting: "reads", lines: true, echo: true });
    await stage.start();
    stage.provider.processes = () => Promise.reject(new Error("timed out"));
    await stage.pass(0.7);
    expect(stage.pane(agent.id)).toMatchObject({ kind: "agent_a", status: "needs_input" });
    stage.provider.terminalUse = () => Promise.reject(new Error("timed out"));
    for (let second = 0; second < 4; second++) await stage.pass(1);
    expect(stage.pane(asking.id)).toMatchObject({ status: "needs_input", stale: false });
  });

  test("is asked again where the kernel of its machine did not answer", async () => {
    const text = "Target environment ";
    const cursor = { row: 0, column: text.length, visible: true };
    const { id } = stage.provider.open({ command: "deploy", text, cursor });
    stage.provider.terminalUse = () => Promise.reject(new Error("timed out"));
    await stage.start();
    for (let second = 0; second < 4; second++) await stage.pass(1);
    expect(stage.pane(id).status).toBe("idle");
    stage.provider.terminalUse = async () => ({ waiting: "reads", lines: true, echo: true });
    await stage.pass(1);
    expect(stage.pane(id).status).toBe("needs_input");
    const captured = stage.provider.calls.captured.length;
    for (let second = 0; second < 4; second++) await stage.pass(1);
    expect(stage.provider.calls.captured.slice(captured + 1)).toEqual([]);
  });

  test("is not read any more once the pane has settled", async () => {
    stage.provider.open({ command: "sh", processes: [["sh", "work.sh"]], text: "quiet" });
    await stage.start();
    for (let second = 0; second < 6; second++) await stage.pass(1);
    const { processes } = stage.provider.calls;
    for (let second = 0; second < 6; second++) await stage.pass(1);
    expect(stage.provider.calls.processes).toBe(processes);
  });

  test("is read again after every change of the screen, also where passes are rare", async () => {
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
  test("follows every pass, with the same object for an unchanged pane", async () => {
    const id = await stage.shown({ text: "a" });
    expect(stage.pane(id).changed).toBe(true);
    const first = await stage.pass(3);
    const second = await stage.pass(1);
    expect(second.sequence).toBe(first.sequence + 1);
    expect(second.panes).toBe(first.panes);
    expect(second.panes[0]?.changed).toBe(false);
  });

  test("makes no new state for a pane at rest, however long its name is", async () => {
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

  test("names the machine of panes at rest as soon as other machines are watched, and no longer", async () => {
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

  test("holds the state of a resized pane at rest until it is redrawn, and no longer", async () => {
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

  test("has no prompt any more once the pane's program has ended, even without a trace on the screen", async () => {
    const pane = await stage.rested({ text: "overwrite? (y/n)" });
    expect(stage.pane(pane.id).status).toBe("needs_input");
    pane.hasEnded = true;
    await stage.pass(3);
    expect(stage.pane(pane.id)).toMatchObject({ status: "idle", question: null, menu: [] });
  });

  test("has the scheduled continuation of a pane at rest at once", async () => {
    let asked: ContinueThen | undefined;
    stage = PollerStage.open({
      notesOf: () => ({ ...NO_NOTES, continue_then: asked ? { ...asked } : null }),
    });
    await stage.rested({ command: "agent" });
    await listsTheSame();
    await stage.pass(3);
    const set = { state: "set", at: 5, text: "continue", reason: null } as const;
    for (asked of [undefined, set, { ...set, state: "sent" as const }, undefined]) {
      const snapshot = await stage.pass();
      expect(snapshot.panes[0]?.continue_then).toEqual(asked ?? null);
      expect((await stage.pass()).panes).toBe(snapshot.panes);
    }
  });

  test("has the agent session of a pane at rest at once", async () => {
    let session: string | null = null;
    stage = PollerStage.open({ notesOf: () => ({ ...NO_NOTES, agent_id: session }) });
    await stage.rested({ command: "agent" });
    await listsTheSame();
    await stage.pass(3);
    for (session of ["one", "other", null])
      expect((await stage.pass()).panes[0]?.agent_id).toBe(session);
  });

  test("has an absent target as offline, as its pane once that is there, and as offline again", async () => {
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

  test("has the kind, name and star of a target's override at once", async () => {
    const id = await stage.shown({ session: "mine", text: "text" });
    expect(stage.pane(id)).toMatchObject({ kind: "generic", name: "mine:1.0", starred: false });
    const mine = override("mine:1.0", { name: "Mine", kind: "agent_b", star: true });
    stage.settings = { ...SETTINGS, overrides: [mine, override("mine:1.0", { name: "Second" })] };
    await stage.pass();
    expect(stage.pane(id)).toMatchObject({ kind: "agent_b", name: "Mine", starred: true });
  });

  test("has a pane's prompt also where its processes cannot be read", async () => {
    stage.provider.processes = () => Promise.reject(new Error("no such process"));
    const id = await stage.shown({ text: "sure? (y/n)" });
    expect(stage.pane(id).status).toBe("needs_input");
  });
});

describe("a failed pass", () => {
  test("keeps the snapshot as stale and not actionable until a pass succeeds again", async () => {
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

  test("shows a star and a name that are given or taken meanwhile, though the panes stay stale", async () => {
    const id = await stage.shown({ text: "quiet" });
    const { target, name } = stage.pane(id);
    stage.provider.listError = new Error("cannot list panes: timed out");
    await stage.pass();
    const overrides = [override(target, { name: "Mine", star: true })];
    stage.settings = { ...SETTINGS, overrides };
    await stage.pass();
    const given = { name: "Mine", starred: true, stale: true, actionable: false };
    expect(stage.pane(id)).toMatchObject(given);
    expect(stage.hub.current.sights).toMatchObject([{ state: given }]);
    stage.settings = SETTINGS;
    await stage.pass();
    expect(stage.pane(id)).toMatchObject({ starred: false, stale: true });
    stage.provider.listError = null;
    await stage.pass();
    expect(stage.pane(id)).toMatchObject({ name, starred: false, stale: false });
  });

  test("gives the multiplexer's message without its colours and controls", async () => {
    await stage.start();
    const said = "server \x1b[31mexploded\x1b[0m\x07\n\x1b]0;title\x07twice";
    stage.provider.listError = new Error(said);
    await stage.pass();
    const told = "server exploded ]0;title twice";
    expect(stage.poller.health().last_error).toBe(told);
    stage.provider.listError = new ProviderError("unavailable", said, said);
    await stage.pass();
    expect(stage.poller.health().last_error).toBe(told);
  });

  test("logs alternating causes once each, and again after a good pass", async () => {
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

  test("follows from a capture that fails for all panes", async () => {
    const id = await stage.shown({ text: "a" });
    stage.provider.print(id, "b");
    stage.provider.captureError = new Error("the server ended");
    await stage.pass();
    expect(stage.pane(id)).toMatchObject({ lines: ["a"], stale: true, actionable: false });
    stage.provider.captureError = null;
    await stage.pass();
    expect(stage.pane(id)).toMatchObject({ lines: ["a", "b"], stale: false, changed: true });
  });

  test("at the start lets the start go on, without any pane", async () => {
    stage.provider.open();
    stage.provider.listError = new Error("broken");
    const { panes } = await stage.start();
    expect(panes).toEqual([]);
    expect(stage.poller.health()).toMatchObject({ status: "degraded", last_success_at: 0 });
  });

  test("for a missing executable makes the provider unavailable", async () => {
    await stage.start();
    stage.provider.listError = new ProviderError("unavailable", "binary_missing", "tmux: gone");
    await stage.pass();
    expect(stage.poller.health()).toMatchObject({
      status: "unavailable",
      last_error: "binary_missing",
    });
    expect(stage.log.join()).toContain("tmux: gone");
  });

  test("a capture that fails for one pane makes that pane stale alone, with the lines from before", async () => {
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

  test("a program that started while the capture failed is known after the next capture", async () => {
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

  test("is followed by a whole pass where an action asks for a look at one pane", async () => {
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

  test("a pane that was never captured is published as stale, and nobody may act on it", async () => {
    const { id } = stage.provider.open({ text: "a" });
    stage.provider.paneErrors.set(id, new Error("too large"));
    await stage.start();
    expect(stage.pane(id)).toMatchObject({ lines: [], stale: true, actionable: false });
    stage.provider.paneErrors.clear();
    await stage.pass();
    expect(stage.pane(id)).toMatchObject({ lines: ["a"], stale: false, status: "idle" });
  });

  test("patterns that miss their deadline keep the finding from before, and are tried again", async () => {
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

describe("a pane that goes", () => {
  test("during a pass is not in that pass's snapshot any more", async () => {
    const [a, b] = [stage.provider.open(), stage.provider.open()];
    await stage.start();
    stage.provider.paneErrors.set(a.id, "gone");
    stage.provider.print(a.id, "last words");
    await stage.pass();
    expect(stage.hub.current.panes.map((pane) => pane.id)).toEqual([b.id]);
    expect(stage.hub.resolve(a.id)).toBeNull();
    expect(stage.poller.health().status).toBe("ready");
  });

  test("is forgotten, even where the same pane comes back", async () => {
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

  test("a pane of the same id on another server or with another process is another pane", async () => {
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

describe("passes", () => {
  test("never overlap, and any number of wakes during a pass give one more", async () => {
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

  test("begin before the listeners are made, and are published once they are", async () => {
    stage.provider.open({ text: "a" });
    const ready = Promise.withResolvers<void>();
    stage.poller.start(ready.promise);
    await until(() => captured().length === 1);
    expect(stage.hub.current.sequence).toBe(0);
    const first = stage.published();
    ready.resolve();
    expect((await first).transitions).toMatchObject([{ before: null, isNews: false }]);
  });

  test("stop without waiting for listeners that are never made", async () => {
    stage.provider.open({ text: "a" });
    stage.poller.start(new Promise(() => {}));
    await until(() => captured().length === 1);
    await stage.poller.stop();
    expect(stage.hub.current.sequence).toBe(0);
  });

  test("that are asked for during another one begin after it", async () => {
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

  test("that are asked for end when they fail, and when the service stops", async () => {
    await stage.start();
    stage.provider.listError = new Error("no answer");
    await stage.poller.pass();
    expect(stage.poller.health().status).toBe("degraded");
    stage.provider.gate = new Promise(() => {});
    const asked = stage.poller.pass();
    await stage.poller.stop();
    await asked;
  });

  test("repeat by themselves", async () => {
    stage.settings = { ...SETTINGS, poll_interval: 0.02 };
    await stage.start();
    await until(() => stage.provider.calls.list >= 4);
  });

  test("that hang end with the stop, and nothing runs afterwards", async () => {
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
  test("is stamped, and its late echo is published long before the next pass", async () => {
    const id = await stage.shown({ text: "sure? (y/n)" });
    await stage.pass(3);
    stage.clock.advance(1);
    const { provider } = stage;
    // At once: a test that looks now and then may see the first look after the last one.
    spyOn(provider, "capture").mockImplementationOnce(async (...asked) => {
      const before = await FakeProvider.prototype.capture.apply(provider, asked);
      provider.show(id, "yes, done");
      return before;
    });
    stage.poller.noteAction(id);
    await until(() => stage.pane(id).lines[0] === "yes, done");
    expect(stage.pane(id)).toMatchObject({ question: null, interacted: stage.clock.now() });
  });

  test("is followed by looks after its first echo too", async () => {
    const { id } = stage.provider.open({ text: "a" });
    stage.provider.open({ text: "other" });
    await stage.start();
    await stage.pass(3);
    stage.provider.show(id, "half");
    const looks = captured().length;
    stage.poller.noteAction(id);
    // At once: a test that looks now and then may see it after the last look.
    await stage.published();
    expect(stage.pane(id).lines[0]).toBe("half");
    stage.provider.show(id, "whole");
    await until(() => stage.pane(id).lines[0] === "whole");
    await afterAllLooks();
    expect(captured().slice(looks)).toEqual([[id], [id], [id], [id]]);
  });

  test("makes its pane work at once, until a screen from two seconds later tells the status", async () => {
    stage.settings = { ...SETTINGS, include_shells: true };
    const id = await stage.shown({ text: "$ ", command: "bash" });
    await stage.pass(3);
    const states: (string | undefined)[] = [stage.pane(id).status];
    stage.poller.noteAction(id);
    states.push(stage.pane(id).status, stage.pane(id).reason);
    await stage.pass(1);
    states.push(stage.pane(id).status);
    // A failed capture does not end the work.
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

  test("on a quiet pane counts as work for two seconds", async () => {
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

  test("is work as long as the program that it started runs silently and reads no keys", async () => {
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

  test("does not hide a prompt that stays", async () => {
    const id = await stage.shown({ text: "sure? (y/n)" });
    stage.poller.noteAction(id);
    expect(stage.pane(id)).toMatchObject({ status: "needs_input", question: "sure? (y/n)" });
  });

  test("during a pass publishes nothing of that pass's findings so far", async () => {
    const ids = Array.from({ length: 30 }, () => stage.provider.open({ text: "before" }).id);
    await stage.start();
    const { match } = stage.matcher;
    let matched = 0;
    stage.matcher.match = async (...job) => {
      if (++matched === ids.length) stage.poller.noteAction(ids.at(-1) ?? "");
      return match.apply(stage.matcher, job);
    };
    for (const id of ids) stage.provider.respawn(id, "after");
    const midway = stage.published();
    stage.poller.wake();
    expect((await midway).panes.map(({ id }) => id)).toEqual(ids);
    expect((await midway).panes.map(({ lines }) => lines)).toEqual(ids.map(() => ["before"]));
  });

  test("right after another one gives one series of looks", async () => {
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

  test("on a pane that does not change ends after the last look, and publishes nothing more", async () => {
    const id = await stage.shown({ text: "a" });
    await stage.pass(3);
    const looks = captured().length;
    const { sequence } = stage.hub.current;
    stage.poller.noteAction(id);
    await until(() => captured().length === looks + 4);
    await stage.pass(1);
    expect(captured().slice(looks)).toEqual([[id], [id], [id], [id]]);
    // One for the action, one for the pass: a look that finds no change publishes nothing.
    expect(stage.hub.current.sequence).toBe(sequence + 2);
  });
});

describe("a reading", () => {
  test("gives the pane as it is now, and leaves the change to the next pass", async () => {
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

  test("gives null for a pane that is gone, and throws when it fails", async () => {
    const id = await stage.shown({});
    expect(await stage.poller.read("%99")).toBeNull();
    stage.provider.listError = new Error("broken");
    await expect(stage.poller.read(id)).rejects.toThrow("broken");
    stage.provider.listError = null;
    stage.provider.paneErrors.set(id, new Error("too large"));
    await expect(stage.poller.read(id)).rejects.toThrow("too large");
  });
});
