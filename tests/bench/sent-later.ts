import type { PollerDeps } from "../../src/terminal/poller.ts";
import type { PaneState } from "../../src/protocol/pane.ts";
import { PollerStage } from "../support/poller.ts";
import { markdownTable, percentile } from "./figures.ts";

export const CLIENT = {
  name: "bench",
  scope: "own",
  by: { grant: "bench", name: "bench" },
} as const;
const PANES = 200;
const AGENTS = 20;
const PASSES = 400;
const ROUNDS = 6;

/** Two hundred panes of a stand-in, twenty of them an agent that shows this: no terminal is asked. */
export async function fleetOf(screen: string, deps: Partial<PollerDeps>): Promise<PollerStage> {
  const stage = new PollerStage(deps);
  for (let i = 0; i < PANES; i++) {
    const isAgent = i < AGENTS;
    const command = isAgent ? "claude" : "vim";
    const { id } = stage.provider.open({ title: "", command, cwd: "/" });
    stage.provider.show(id, isAgent ? screen : `line ${i}`);
  }
  await stage.start();
  await stage.pass();
  return stage;
}

/** Prints what a pass costs while nothing is to be sent to the agents, and while something is. */
export async function comparePasses(
  stage: PollerStage,
  agents: readonly PaneState[],
  set: (isToBeSent: boolean) => Promise<void>,
): Promise<void> {
  const figures: Record<"without" | "with", number[]> = { without: [], with: [] };
  // In turns, so that what else the machine does is in both.
  for (let round = 0; round < ROUNDS; round++)
    for (const kind of ["without", "with"] as const) {
      await set(kind === "with");
      await stage.pass(0.001);
      for (let pass = 0; pass < PASSES; pass++) {
        const startedMs = performance.now();
        await stage.pass(0.001);
        figures[kind].push(performance.now() - startedMs);
      }
    }
  await stage.poller.stop();
  const [without, those] = [percentile(figures.without, 50), percentile(figures.with, 50)];
  const more = (100 * (those - without)) / without;
  const counts = [String(PANES), String(agents.length)];
  process.stdout.write(
    markdownTable(
      ["panes", "agents", "to be sent", "median of a pass"],
      [
        [...counts, "0", `${without.toFixed(3)} ms`],
        [...counts, String(agents.length), `${those.toFixed(3)} ms (${more.toFixed(1)} %)`],
      ],
    ),
  );
}
