import { expect, test } from "bun:test";
import { createLog } from "../../src/lib/log.ts";
import { Loop } from "../../src/lib/loop.ts";
import { until } from "../support/until.ts";

const quiet = createLog(() => {});
const HOURS_MS = 3_600_000;

test("turns repeat after their rest, never two at a time", async () => {
  let running = 0;
  let most = 0;
  let turns = 0;
  const loop = new Loop({
    run: async () => {
      most = Math.max(most, ++running);
      await Bun.sleep(1);
      running--;
      turns++;
    },
    restMs: () => 1,
    log: quiet,
  });
  loop.start();
  loop.start();
  await until(() => turns >= 5);
  await loop.stop();
  expect(most).toBe(1);
});

test("a wake ends the rest, and many wakes during a turn give one more turn", async () => {
  let turns = 0;
  const gate = Promise.withResolvers<void>();
  const loop = new Loop({
    run: async () => {
      turns++;
      if (turns === 2) await gate.promise;
    },
    restMs: () => HOURS_MS,
    log: quiet,
  });
  loop.start();
  loop.wake();
  await until(() => turns === 2);
  for (let i = 0; i < 5; i++) loop.wake();
  gate.resolve();
  await until(() => turns === 3);
  await loop.stop();
  expect(turns).toBe(3);
});

test("a turn that throws is logged, and the next turn follows", async () => {
  const lines: string[] = [];
  let turns = 0;
  const loop = new Loop({
    run: async () => {
      turns++;
      if (turns === 1) throw new Error("a bug");
    },
    restMs: () => 0,
    log: createLog((line) => lines.push(line)),
  });
  loop.start();
  await until(() => turns >= 2);
  await loop.stop();
  expect(lines.join("")).toContain("a bug");
});

test("stop aborts the turn, waits for it, and no turn follows", async () => {
  let ended = false;
  let turns = 0;
  const loop = new Loop({
    run: async (signal) => {
      turns++;
      await new Promise((resolve) => signal.addEventListener("abort", resolve));
      ended = true;
    },
    restMs: () => 0,
    log: quiet,
  });
  loop.start();
  await loop.stop();
  loop.wake();
  expect([ended, turns]).toEqual([true, 1]);
});
