import type { PaneState } from "../../src/protocol/pane.ts";
import { fixturePane, fixturePanes, NOW } from "./fixture-panes.ts";

const WIDTH = 96;

/** Output as a build prints it: no two lines alike. */
function outputLine(n: number): string {
  const text = `[${n}] compile src/module-${(n * 7919) % 613}/part-${n % 29}.ts (${(n * 31) % 997} ms)`;
  return text.padEnd(WIDTH, n % 3 === 0 ? " ok" : ".");
}

const lines = (from: number, count: number) =>
  Array.from({ length: count }, (_, i) => outputLine(from + i));

/** `count` panes, each with a screen full of output; the waiting ones of the fixtures lead. */
export function busyFleet(count: number, lineCount: number): PaneState[] {
  const waiting = fixturePanes().filter(({ status }) => status === "needs_input");
  const working = Array.from({ length: count - waiting.length }, (_, i) =>
    fixturePane({
      number: 100 + i,
      session: `s${i % 12}`,
      window: `w${i}`,
      name: `worker-${i}`,
      kind: "agent_a",
      agent: { id: "agent_a", label: "Claude Code" },
      status: "working",
      ago: 60 + i,
      lines: lines(i * 1000, lineCount),
    }),
  );
  return [...waiting.map((pane) => ({ ...pane, lines: lines(0, lineCount) })), ...working];
}

/** The same fleet one pass later: `busy` of its panes have printed `added` lines. */
export function nextPass(panes: readonly PaneState[], pass: number, busy: number, added = 3) {
  const first = panes.findIndex(({ status }) => status === "working");
  return panes.map((pane, i) => {
    if (i < first || i >= first + busy) return pane;
    const next = [...pane.lines.slice(added), ...lines(pass * 100_000 + i * 100, added)];
    const updated = NOW + pass;
    return { ...pane, lines: next, preview: next.slice(-6), updated, changed: true };
  });
}
