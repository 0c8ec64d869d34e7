import { expect, test } from "bun:test";
import { Binder } from "../../src/agents/binding/binder.ts";
import { Hand } from "../../src/agents/binding/hand.ts";
import { ObservedPanes } from "../../src/agents/binding/observed-panes.ts";
import { pane } from "../support/pane.ts";
import { memoryStore } from "./support/store.ts";

const SHOP = "/no/such/shop";
const WORKTREE = "/no/such/.codex/worktrees/4f/shop";

test("a person may bind a session to a pane whose screen names its worktree, and to no other", async () => {
  const { store } = memoryStore();
  const panes = new ObservedPanes({
    ...{ processes: async () => [], statusHome: () => null },
    ...{ monotonic: () => 0, log: { warn: () => {} } },
  });
  const binder = new Binder({ store, panes, labelOf: (id) => id, monotonic: () => 0 });
  const hand = new Hand({ store, binder });
  const id = store.write(() => {
    const made = store.sessions.ensure("agent_b", "b", store.now);
    const facts = { ...store.sessions.facts(made), cwd: WORKTREE, lastAt: store.now };
    const seen = { state: store.sessions.state(made), facts, lag: null, isNews: true };
    store.sessions.observe(made, seen);
    return made;
  });
  const sights = [`  medium · ${SHOP}`, "  medium · ~/.codex/worktrees/4f/shop"].map(
    (footer, at) => {
      const lines = ["› Ask", footer];
      const state = pane({ id: `%${at}`, target: `work:${at}`, kind: "agent_b", cwd: SHOP, lines });
      return { identity: state.id, id: state.id, target: state.target, isShown: true, state };
    },
  );
  await binder.look(sights, store.now);
  const request = { expected_binding_revision: 0 };
  expect(hand.bind(id, { pane_id: "%0", ...request })).rejects.toThrow("another folder");
  expect((await hand.bind(id, { pane_id: "%1", ...request })).pane_id).toBe("%1");
});
