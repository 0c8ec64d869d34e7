import { expect, test } from "bun:test";
import { killWhileGrowing } from "./support/kills.ts";
import { recordingOf } from "./support/recordings.ts";

/** The long suite kills two hundred times, over all recordings. */
const KILLS = 2;

test("a reader that is killed while its logs grow loses and doubles nothing", async () => {
  const seed = Math.floor(Math.random() * 2 ** 32);
  const recordings = [
    recordingOf("agent-a", "todos"),
    recordingOf("agent-a", "queued-message"),
    recordingOf("agent-b", "v0.60.1-resume"),
    recordingOf("agent-b", "backtrack"),
  ];
  const { killed, whole } = await killWhileGrowing(recordings, KILLS, seed);
  expect(killed, `seed ${seed}`).toEqual(whole);
});
