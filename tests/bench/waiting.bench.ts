// Two hundred panes, twenty of them agents that work: what a pass costs while nothing waits for them,
// and while messages wait for each. The provider is a stand-in: no terminal is asked.
import type { MessageQueue } from "../../src/input/message-queue.ts";
import { MemoryFile } from "../support/continuations.ts";
import { memoryMessages } from "../support/messages.ts";
import { PollerStage } from "../support/poller.ts";
import { readScreen } from "../support/screens.ts";
import { markdownTable, percentile } from "./figures.ts";

const PANES = 200;
const LISTS = 20;
const PASSES = 400;
const CLIENT = { sid: null, address: "bench" };

const working = readScreen("claude", "classic-working-bash");
let messages: MessageQueue | null = null;
const stage = new PollerStage({ queued: (identity) => messages?.of(identity) });
const { provider, hub, clock } = stage;
for (let i = 0; i < PANES; i++) {
  const isAgent = i < LISTS;
  const pane = provider.open({ title: "", command: isAgent ? "claude" : "vim", cwd: "/" });
  provider.show(pane.id, isAgent ? working.styled : `line ${i}`);
}
await stage.start();
await stage.pass();

messages = memoryMessages({
  file: new MemoryFile(),
  hub,
  clock,
  queue: { find: (id) => hub.resolve(id), run: () => Promise.reject(new Error("not free")) },
});
hub.subscribe((snapshot) => messages?.follow(snapshot));
await messages.open();
const agents = hub.current.panes.filter(({ agent }) => agent !== null);

let keys = 0;
const figures: { without: number[]; with: number[] } = { without: [], with: [] };
// In turns, so that what else the machine does is in both.
for (let round = 0; round < 6; round++)
  for (const kind of ["without", "with"] as const) {
    const own = () => ({ idempotency_key: `bench-${keys++}` });
    if (kind === "with")
      for (const { id } of agents)
        await messages.act({ operation: "add", id, text: "and then", ...own() }, CLIENT);
    else
      for (const list of messages.lists)
        for (const { id } of list.messages)
          await messages.act({ operation: "delete", message_id: id, ...own() }, CLIENT);
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
    ["panes", "agents", "lists", "median of a pass"],
    [
      [String(PANES), String(agents.length), "0", `${median(figures.without).toFixed(3)} ms`],
      [
        ...[String(PANES), String(agents.length), String(agents.length)],
        `${median(figures.with).toFixed(3)} ms (${more.toFixed(1)} %)`,
      ],
    ],
  ),
);
