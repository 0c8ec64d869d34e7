// Answers to a prompt that changes every few milliseconds: how many reach another prompt than the
// one they were given to, sent as they are and sent through the comparison inside the server. And what
// one answer costs in processes.
import { sample } from "../input/service.ts";
import { LegacyInput } from "../../src/input/legacy.ts";
import { ActionQueue } from "../../src/input/action-queue.ts";
import { systemClock } from "../../src/lib/clock.ts";
import { createLog } from "../../src/lib/log.ts";
import { PollerStage } from "../support/poller.ts";
import { until } from "../support/until.ts";
import { percentOf, PROMPT_MS, Racing } from "../input/racing.ts";
import { openMux } from "../support/mux.ts";
import { PrivateTmux } from "../support/tmux.ts";
import { markdownTable } from "./figures.ts";
import { memoryLedger } from "../support/ledger.ts";

const TRIES = 800;

const tmux = await PrivateTmux.start();
try {
  const racing = await Racing.start(tmux, await openMux(tmux));
  const rows: string[][] = [];
  for (const way of ["unguarded", "guarded"] as const) {
    const startedAt = performance.now();
    const share = await racing.answer(TRIES, way);
    const tries = share.answers + share.refused;
    rows.push([
      way,
      String(share.answers),
      String(share.wrong),
      percentOf(share),
      String(share.refused),
      `${((performance.now() - startedAt) / tries).toFixed(1)} ms`,
    ]);
  }
  process.stdout.write(
    `A new prompt every ${PROMPT_MS} ms.\n\n` +
      markdownTable(
        ["way", "answers", "on a wrong prompt", "share", "held back", "capture and send"],
        rows,
      ),
  );
  process.stdout.write(
    `\nTmux processes for one action, the looks after it aside.\n\n` +
      markdownTable(["action", "processes"], await costs()),
  );
} finally {
  await tmux.stop();
}

/** What each way of answering starts, from the request to the last key. */
async function costs(): Promise<string[][]> {
  const provider = await openMux(tmux);
  let processes = 0;
  const { client } = provider;
  const runClient = client.run.bind(client);
  client.run = (args, options) => {
    processes++;
    return runClient(args, options);
  };
  const log = createLog(() => {});
  const stage = new PollerStage({ provider, clock: systemClock });
  const { hub, poller } = stage;
  const ledger = memoryLedger({ clock: systemClock });
  const queue = new ActionQueue({
    ledger,
    machines: {
      of: () => ({ provider, poller: { read: (id) => poller.read(id), acted: () => {} } }),
    },
    hub,
    pause: Bun.sleep,
    nowMs: () => performance.now(),
    log,
  });
  const legacy = new LegacyInput({ provider, hub, queue, log });
  const asking = () => tmux.open(sample("permission"));
  const ids = [await asking(), await asking(), await asking()];
  await stage.start();
  const seen = await until(async () => {
    await stage.pass();
    const panes = hub.current.panes.filter(({ id, menu }) => ids.includes(id) && menu.length > 0);
    return panes.length === ids.length ? panes : null;
  });
  const found: string[][] = [];
  const count = async (action: string, act: () => Promise<void>) => {
    processes = 0;
    await act();
    found.push([action, String(processes)]);
  };
  const [digit, enter, plain] = seen;
  if (!digit || !enter || !plain) throw new Error("not all of them ask");
  await count("an option of a known dialog, by its digit, with what was seen", () =>
    legacy.select({ id: digit.id, key: "1", expected: digit.legacy_guard ?? {} }),
  );
  await count("Enter, with what was seen", () =>
    legacy.key({ id: enter.id, key: "Enter", expected: enter.legacy_guard ?? {} }),
  );
  await count("a key, with nothing expected", () => legacy.key({ id: plain.id, key: "Down" }));
  await poller.stop();
  return found;
}
