// An option of a dialog that a pass has shown, answered here and over links of 40 and 150 ms.
import type { TerminalProvider } from "../../src/terminal/provider.ts";
import { sample, startInput } from "../input/service.ts";
import { remoteProvider, openRemoteLink } from "../support/remote-link.ts";
import { openMux } from "../support/mux.ts";
import { PrivateTmux } from "../support/tmux.ts";
import { CLIENT } from "../input/agent-pane.ts";
import { ms, percentile, printTable } from "./figures.ts";

/** Null: the tmux of this machine. */
const ROUND_TRIPS_MS = [null, 0, 40, 150];
const ANSWERS = 15;

/** From the request to its reply. */
async function answerMs(tmux: PrivateTmux, provider: TerminalProvider): Promise<number> {
  const ids: string[] = [];
  for (let i = 0; i < ANSWERS; i++) ids.push(await tmux.open(sample("permission")));
  const service = await startInput(tmux, { provider });
  const times: number[] = [];
  for (const id of ids) {
    const { legacy_guard } = await service.published(
      id,
      ({ menu, status }) => menu.length > 0 && status === "needs_input",
    );
    const startedMs = performance.now();
    await service.legacy.select({ id, key: "1", expected: legacy_guard ?? {} }, CLIENT);
    times.push(performance.now() - startedMs);
  }
  await service.stop();
  return percentile(times, 50);
}

const rows: string[][] = [];
for (const roundTripMs of ROUND_TRIPS_MS) {
  const tmux = await PrivateTmux.start();
  const link = roundTripMs === null ? null : await openRemoteLink(tmux, roundTripMs / 2);
  const median = await answerMs(tmux, link ? remoteProvider(link) : await openMux(tmux));
  const where = roundTripMs === null ? "this machine" : ms(roundTripMs);
  rows.push([where, ms(median), ms(median - (roundTripMs ?? 0))]);
  link?.stop();
  await tmux.stop();
}
process.stdout.write(`${ANSWERS} answers each.\n\n`);
printTable(["round trip", "accepted, median", "beyond it"], rows);
