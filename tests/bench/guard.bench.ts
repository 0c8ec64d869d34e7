// Answers to a prompt that changes every few milliseconds: how many reach another prompt than the
// one they were given to, sent as they are and sent through the comparison inside the server.
import { percentOf, PROMPT_MS, Racing } from "../input/racing.ts";
import { openMux } from "../support/mux.ts";
import { PrivateTmux } from "../support/tmux.ts";
import { markdownTable } from "./figures.ts";

const ANSWERS = 400;

const tmux = await PrivateTmux.start();
try {
  const racing = await Racing.start(tmux, await openMux(tmux));
  const rows: string[][] = [];
  for (const way of ["unguarded", "guarded"] as const) {
    const startedAt = performance.now();
    const share = await racing.answer(ANSWERS, way);
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
} finally {
  await tmux.stop();
}
