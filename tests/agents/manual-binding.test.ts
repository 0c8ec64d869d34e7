import { expect, test } from "bun:test";
import { homedir } from "node:os";
import { join } from "node:path";
import { Binder } from "../../src/agents/binding/binder.ts";
import { bindByHand } from "../../src/agents/binding/manual-binding.ts";
import { ObservedPanes } from "../../src/agents/binding/observed-panes.ts";
import { requireSession } from "../../src/agents/queries.ts";
import { pane } from "../support/pane.ts";
import { memoryStore, newSession } from "./support/store.ts";

const SHOP = "/no/such/shop";
const WORKTREE = join(homedir(), ".codex/worktrees/4f/shop");

test("a person may bind a session to a pane whose screen names its worktree, and to no other", async () => {
  const { store } = memoryStore();
  const panes = new ObservedPanes({
    ...{ processes: async () => [], statusHome: () => null },
    ...{ monotonic: () => 0, log: { warn: () => {} } },
  });
  const binder = new Binder({ store, panes, labelOf: (id) => id, monotonic: () => 0 });
  const desk = { store, binder };
  const read = { runtime: "agent_b", cwd: WORKTREE, lastAt: store.now } as const;
  const id = newSession(store, "b", read);
  const drawn = [SHOP, "~/.codex/worktrees/4f/shop", "~/4f/shop"];
  const sights = drawn
    .map((folder) => `  medium · ${folder}`)
    .map((footer, at) => {
      const lines = ["› Ask", footer];
      const state = pane({ id: `%${at}`, target: `work:${at}`, kind: "agent_b", cwd: SHOP, lines });
      return { identity: state.id, id: state.id, target: state.target, isShown: true, state };
    });
  await binder.look(sights, store.now);
  const request = { expected_binding_revision: requireSession(store, id).binding_revision };
  for (const pane_id of ["%0", "%2"])
    await expect(bindByHand(desk, id, { pane_id, ...request })).rejects.toThrow("another folder");
  expect((await bindByHand(desk, id, { pane_id: "%1", ...request })).pane_id).toBe("%1");
});
