import { expect, setDefaultTimeout, test } from "bun:test";
import { atOnce, byteByByte, inSteps, stepsAt } from "../agents/support/ends.ts";
import { randomOf } from "../agents/support/mutations.ts";
import { RECORDINGS } from "../agents/support/recordings.ts";

setDefaultTimeout(30 * 60_000);

const CUTS = 500;

for (const recording of RECORDINGS) {
  test(`${recording.runtime}/${recording.name}: byte by byte, and with ${CUTS} restarts, ends the same`, async () => {
    const whole = await atOnce(recording);
    expect(await byteByByte(recording)).toEqual(whole);
    const seed = Math.floor(Math.random() * 2 ** 32);
    const random = randomOf(seed);
    const steps = stepsAt(recording, Array.from({ length: CUTS }, random));
    expect(await inSteps(recording, steps), `seed ${seed}`).toEqual(whole);
  });
}
