import { expect, test } from "bun:test";
import { openMux } from "../support/mux.ts";
import { PrivateTmux } from "../support/tmux.ts";
import { interval, percentOf, Racing, type Share } from "./racing.ts";

const ROUNDS = 6;
const ANSWERS_A_ROUND = 30;

test("with a prompt that changes all the time, the guard keeps answers from the wrong one", async () => {
  const tmux = await PrivateTmux.start();
  try {
    const racing = await Racing.start(tmux, await openMux(tmux));
    const none: Share = { answers: 0, wrong: 0, refused: 0 };
    const totals = { unguarded: none, guarded: none };
    // In turns, so that a busy machine is busy for both.
    for (let round = 0; round < ROUNDS; round++)
      for (const way of ["unguarded", "guarded"] as const)
        totals[way] = add(totals[way], await racing.answer(ANSWERS_A_ROUND, way));
    const { guarded, unguarded } = totals;
    process.stdout.write(
      `wrong prompt hit: unguarded ${percentOf(unguarded)} of ${unguarded.answers}, ` +
        `guarded ${percentOf(guarded)} of ${guarded.answers} (${guarded.refused} held back)\n`,
    );
    expect(guarded.refused).toBeGreaterThan(0);
    expect(interval(guarded).high).toBeLessThan(interval(unguarded).low);
  } finally {
    await tmux.stop();
  }
});

function add(a: Share, b: Share): Share {
  return {
    answers: a.answers + b.answers,
    wrong: a.wrong + b.wrong,
    refused: a.refused + b.refused,
  };
}
