import { afterEach, beforeEach, expect, test } from "bun:test";
import { type NativeAgent, type PaneCapabilities, PaneState } from "../../src/protocol/pane.ts";
import { FakeClock } from "../support/clock.ts";
import { PollerStage } from "../support/poller.ts";
import { FakeProvider } from "../support/fake-provider.ts";
import { working } from "../support/wsp/watched.ts";
import { until } from "../support/until.ts";

const MENU = ["Which one?", "", "❯ 1. First", "  2. Second"].join("\n");

const NATIVE: NativeAgent = {
  ...{ present: true, kind: "claude", name: null, interactive_ready: null },
  ...{ status: "working", state_change_seq: 1 },
};

/** Guarded input, and no screen is ever known to be unchanged. */
class GuardedFake extends FakeProvider {
  wake: (() => void) | null = null;
  override info = { ...new FakeProvider().info, id: "wsp" as const };
  override capabilities: PaneCapabilities = {
    ...new FakeProvider().capabilities,
    input: "guarded_v1",
  };

  override start(wake: () => void): void {
    this.wake = wake;
  }

  override async stop(): Promise<void> {
    this.wake = null;
  }

  override unchanged = async () => new Set<string>();
}

let provider: GuardedFake;
let stage: PollerStage<GuardedFake>;
beforeEach(() => {
  provider = new GuardedFake();
  stage = new PollerStage(provider, new FakeClock());
});
afterEach(() => stage.poller.stop());

function state(id: string): PaneState {
  const found = stage.pane(id);
  expect(PaneState.parse(found)).toEqual(found);
  return found;
}

test("a guarded pane is published with its guard, option ids and capabilities, and no legacy guard", async () => {
  const { id } = provider.open({ text: MENU, revision: "r1" });
  await stage.start();
  const first = state(id);
  expect(first).toMatchObject({ provider: "wsp", question: "Which one?", legacy_guard: null });
  expect(first.capabilities).toEqual(provider.capabilities);
  expect(first.action_guard?.endpoint_revision).toBe("r1");
  expect(first.menu.map((option) => option.id?.slice(0, 2))).toEqual(["o:", "o:"]);
  await stage.pass();
  expect(state(id).action_guard).toBe(first.action_guard);
});

test("lines and preview come from the display, detection and guard from the detection buffer", async () => {
  const pane = provider.open({ text: MENU, display: "the last words\nof the screen" });
  await stage.start();
  expect(state(pane.id)).toMatchObject({
    status: "needs_input",
    question: "Which one?",
    lines: ["the last words", "of the screen"],
    preview: ["the last words", "of the screen"],
  });
  const { action_guard, updated } = state(pane.id);
  pane.display = "scrolled";
  await stage.pass();
  expect(state(pane.id)).toMatchObject({ lines: ["scrolled"], changed: true, action_guard });
  expect(state(pane.id).updated).toBeGreaterThan(updated);
});

test("the provider's agent state decides where the screen tells nothing, and is one prompt while it lasts", async () => {
  const pane = provider.open({ text: "some text", native: { ...NATIVE, status: "blocked" } });
  await stage.start();
  const first = state(pane.id);
  expect(first).toMatchObject({
    kind: "agent_a",
    status: "needs_input",
    question: "Waiting for input",
    menu: [],
    reason: "native.blocked",
    native_agent: pane.native,
  });
  await stage.pass();
  expect(state(pane.id).prompt_since).toBe(first.prompt_since);
  pane.native = { ...NATIVE, state_change_seq: 2 };
  await stage.pass();
  expect(state(pane.id)).toMatchObject({ status: "working", question: null, prompt_since: null });
  expect(stage.hub.current.transitions).toMatchObject([{ before: {}, pane: {} }]);
  pane.native = { ...NATIVE, status: "done" };
  await stage.pass();
  expect(state(pane.id).status).toBe("idle");
});

test("a moving spinner outweighs a provider that says idle, a spinner that stands still does not", async () => {
  const pane = provider.open({ text: working(1), native: { ...NATIVE, status: "idle" } });
  await stage.start();
  // One frame alone does not move.
  expect(state(pane.id)).toMatchObject({ status: "idle", reason: "native.idle" });
  await stage.pass();
  expect(state(pane.id).status).toBe("idle");
  for (const frame of [2, 3, 4]) {
    pane.text = working(frame);
    await stage.pass();
    expect(state(pane.id).status).toBe("working");
    expect(state(pane.id).reason).toStartWith("agent_a.");
  }
  await stage.pass();
  await stage.pass();
  expect(state(pane.id).status).toBe("working");
  await stage.pass();
  expect(state(pane.id)).toMatchObject({ status: "idle", reason: "native.idle" });
});

test("a provider that marks no pane unchanged has every pane read in every pass, and its wake starts a pass", async () => {
  const ids = [provider.open(), provider.open()].map(({ id }) => id);
  // No pass may come by itself.
  stage.settings = { ...stage.settings, poll_interval: 3600 };
  await stage.start();
  await stage.pass();
  expect(provider.calls.captured).toEqual([ids, ids]);
  provider.wake?.();
  await until(() => provider.calls.captured.length === 3);
  await stage.poller.stop();
  expect(provider.wake).toBeNull();
});
