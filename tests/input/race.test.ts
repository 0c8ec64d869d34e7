import { afterEach, expect, test } from "bun:test";
import { openMux } from "../support/mux.ts";
import { PrivateTmux } from "../support/tmux.ts";
import { interval, percentOf, Racing, type Share } from "./racing.ts";

const TRIES_A_ROUND = 30;
const LEAST_ROUNDS = 3;
/** A guard that does nothing is not told apart in so many. */
const MOST_ROUNDS = 20;

let tmux: PrivateTmux | null = null;
afterEach(() => tmux?.stop());

test("with a prompt that changes all the time, the guard keeps answers from the wrong one", async () => {
  tmux = await PrivateTmux.start();
  const racing = await Racing.start(tmux, await openMux(tmux));
  const none: Share = { answers: 0, wrong: 0, refused: 0 };
  const totals = { unguarded: none, guarded: none };
  const areToldApart = () => interval(totals.guarded).high < interval(totals.unguarded).low;
  for (let round = 0; round < MOST_ROUNDS; round++) {
    if (round >= LEAST_ROUNDS && areToldApart()) break;
    await racing.setPace();
    // In turns, so that a busy machine is busy for both.
    for (const way of ["unguarded", "guarded"] as const)
      totals[way] = add(totals[way], await racing.answer(TRIES_A_ROUND, way));
  }
  const { guarded, unguarded } = totals;
  const told =
    `wrong prompt hit: unguarded ${percentOf(unguarded)} of ${unguarded.answers}, ` +
    `guarded ${percentOf(guarded)} of ${guarded.answers} (${guarded.refused} held back)`;
  expect(guarded.refused).toBeGreaterThan(0);
  expect(areToldApart(), told).toBe(true);
});

function add(a: Share, b: Share): Share {
  return {
    answers: a.answers + b.answers,
    wrong: a.wrong + b.wrong,
    refused: a.refused + b.refused,
  };
}
