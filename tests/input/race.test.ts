import { afterEach, expect, test } from "bun:test";
import { remoteProvider, openRemoteLink } from "../support/remote-link.ts";
import { openMux } from "../support/mux.ts";
import { rare as it } from "../support/thorough.ts";
import { PrivateTmux } from "../support/tmux.ts";
import { interval, percentOf, Racing, type Share } from "./racing.ts";

const TRIES_A_ROUND = 30;
/** Within so many rounds a guard without effect does not look better than none. */
const MOST_ROUNDS = 20;

let tmux: PrivateTmux | null = null;
afterEach(() => tmux?.stop());

test("with a prompt that changes all the time, guarded answers hit the wrong prompt less often than unguarded", async () => {
  tmux = await PrivateTmux.start();
  await expectGuarded(await Racing.start(tmux, await openMux(tmux)));
});

it("over a link of 40 ms, guarded answers hit the wrong prompt less often than unguarded answers", async () => {
  tmux = await PrivateTmux.start();
  const link = await openRemoteLink(tmux, 20);
  try {
    await expectGuarded(await Racing.start(tmux, remoteProvider(link)));
  } finally {
    link.stop();
  }
});

async function expectGuarded(racing: Racing): Promise<void> {
  const none: Share = { answers: 0, wrong: 0, refused: 0 };
  const totals = { unguarded: none, guarded: none };
  // A round without a change proves nothing.
  const areToldApart = () =>
    totals.guarded.refused > 0 && interval(totals.guarded).high < interval(totals.unguarded).low;
  for (let round = 0; round < MOST_ROUNDS && !areToldApart(); round++) {
    await racing.setPace();
    // In turns, so that a busy machine slows down both.
    for (const way of ["unguarded", "guarded"] as const)
      totals[way] = add(totals[way], await racing.answer(TRIES_A_ROUND, way));
  }
  const { guarded, unguarded } = totals;
  const shares =
    `wrong prompt hit: unguarded ${percentOf(unguarded)} of ${unguarded.answers}, ` +
    `guarded ${percentOf(guarded)} of ${guarded.answers} (${guarded.refused} held back)`;
  expect(guarded.refused).toBeGreaterThan(0);
  expect(unguarded.wrong).toBeGreaterThan(0);
  // On a very busy machine every guarded answer comes too late and is held back.
  expect(guarded.answers === 0 || areToldApart(), shares).toBe(true);
}

function add(a: Share, b: Share): Share {
  return {
    answers: a.answers + b.answers,
    wrong: a.wrong + b.wrong,
    refused: a.refused + b.refused,
  };
}
