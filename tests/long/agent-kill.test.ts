import { expect, setDefaultTimeout, test } from "bun:test";
import { killWhileGrowing } from "../agents/support/kills.ts";
import { RECORDINGS } from "../agents/support/recordings.ts";

setDefaultTimeout(30 * 60_000);

const KILLS = 200;

test(`a reader that is killed ${KILLS} times while its logs grow loses and doubles nothing`, async () => {
  const seed = Math.floor(Math.random() * 2 ** 32);
  const { killed, whole } = await killWhileGrowing(RECORDINGS, KILLS, seed);
  expect(killed, `seed ${seed}`).toEqual(whole);
});
