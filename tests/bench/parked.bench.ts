// Two hundred panes, twenty of them held by a limit: what a pass costs while nothing is to be sent to
// them, and while "continue" is set for each. The provider is a stand-in: no terminal is asked.
import type { Continuations } from "../../src/input/continuations.ts";
import { PollerStage } from "../support/poller.ts";
import { memoryContinuations, MemoryFile } from "../support/continuations.ts";
import { readScreen } from "../support/screens.ts";
import { markdownTable, percentile } from "./figures.ts";

const PANES = 200;
const PARKED = 20;
const PASSES = 400;
const CLIENT = { sid: null, address: "bench" };

const limited = readScreen("claude", "limit-cancelled-v2.1.330");
let continuations: Continuations | null = null;
const stage = new PollerStage({ continueThen: (identity) => continuations?.of(identity) });
const { provider, hub, clock } = stage;
for (let i = 0; i < PANES; i++) {
  const isParked = i < PARKED;
  const pane = provider.open({ title: "", command: isParked ? "claude" : "vim", cwd: "/" });
  provider.show(pane.id, isParked ? limited.styled : `line ${i}`);
}
await stage.start();
await stage.pass();

continuations = memoryContinuations({
  file: new MemoryFile(),
  hub,
  clock,
  queue: { find: (id) => hub.resolve(id), run: () => Promise.reject(new Error("not due")) },
});
hub.subscribe((snapshot) => continuations?.follow(snapshot));
await continuations.open();
const parked = hub.current.panes.filter((pane) => pane.parked !== null);

const figures: { without: number[]; with: number[] } = { without: [], with: [] };
// In turns, so that what else the machine does is in both.
for (let round = 0; round < 6; round++)
  for (const kind of ["without", "with"] as const) {
    for (const { id, parked: limit } of parked)
      await continuations.set(
        kind === "with"
          ? { id, on: true, until: limit?.until ?? 0, text: "continue" }
          : { id, on: false },
        CLIENT,
      );
    await stage.pass(0.001);
    for (let pass = 0; pass < PASSES; pass++) {
      const startedMs = performance.now();
      await stage.pass(0.001);
      figures[kind].push(performance.now() - startedMs);
    }
  }
await stage.poller.stop();
const median = (list: number[]) => percentile(list, 50);
const more = (100 * (median(figures.with) - median(figures.without))) / median(figures.without);
process.stdout.write(
  markdownTable(
    ["panes", "parked", "to continue", "median of a pass"],
    [
      [String(PANES), String(parked.length), "0", `${median(figures.without).toFixed(3)} ms`],
      [
        ...[String(PANES), String(parked.length), String(parked.length)],
        `${median(figures.with).toFixed(3)} ms (${more.toFixed(1)} %)`,
      ],
    ],
  ),
);
