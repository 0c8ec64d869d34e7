import { expect, test } from "bun:test";
import { readsInTurn } from "../../src/terminal/reading.ts";

test("of many requests that read a pane four do so at once, and each is served", async () => {
  let running = 0;
  let most = 0;
  const read = readsInTurn(async () => {
    most = Math.max(most, ++running);
    await null;
    running -= 1;
    return null;
  });
  const readings = await Promise.all(Array.from({ length: 20 }, () => read("%1")));
  expect([readings.length, most]).toEqual([20, 4]);
});

test("requests that read panes of a machine that hangs delay those of no other", async () => {
  const lost = Promise.withResolvers<null>();
  const read = readsInTurn((id) => (id === "%1" ? Promise.resolve(null) : lost.promise));
  const hanging = Array.from({ length: 4 }, () => read("%1000001"));
  expect(await read("%1")).toBeNull();
  lost.resolve(null);
  expect(await Promise.all(hanging)).toHaveLength(4);
});
