import { expect, test } from "bun:test";
import { isConfirmed } from "../../src/ledger/recent-acts.ts";
import type { ActKind } from "../../src/protocol/act.ts";
import type { PaneState } from "../../src/protocol/pane.ts";
import { pane } from "../support/pane.ts";

const AT = 1000;
const idle = (members: Partial<PaneState> = {}) => pane({ updated: AT + 1, ...members });
const working = idle({ status: "working" });
const asking = (question: string, prompt_since: number | null = AT - 9) =>
  idle({ status: "needs_input", question, prompt_since });

test.each<[ActKind, PaneState | null, PaneState, boolean]>([
  ["select", asking("Go on?"), asking("Go on?"), false],
  ["select", asking("Go on?"), idle(), true],
  ["select", asking("Go on?"), asking("And now?"), true],
  // The same words again are another prompt, where they have come up since.
  ["select", asking("Go on?"), asking("Go on?", AT + 1), true],
  ["select", asking("Go on?"), asking("Go on?", AT), false],
  ["select", asking("Go on?"), asking("Go on?", null), false],
  ["text", idle(), working, true],
  ["broadcast", idle(), working, true],
  ["key", idle(), working, false],
  ["text", working, working, false],
  ["text", idle(), idle(), false],
  ["text", asking("Go on?"), asking("Go on?"), false],
  ["stop", working, working, false],
  ["stop", working, idle(), true],
  ["stop", working, idle({ updated: AT - 1 }), true],
  ["text", idle(), { ...working, updated: AT - 1 }, false],
  ["text", idle(), { ...working, updated: AT }, true],
  ["text", idle(), { ...working, stale: true }, false],
  ["text", null, working, false],
])(
  "%s is taken by what has been drawn since, and by nothing else (%#)",
  (kind, before, now, is) => {
    expect(isConfirmed({ kind, at: AT, before }, now)).toBe(is);
  },
);
