import { expect, jest, test } from "bun:test";
import { Creation } from "../../web/state/server/creation.ts";
import { serverOf } from "../support/page-server.ts";

test("what became of a first message is asked ever less often where nobody answers", async () => {
  jest.useFakeTimers();
  try {
    let asked = 0;
    const api = {
      call: async () => {
        asked += 1;
        return { ok: false, failure: { kind: "lost" } };
      },
    };
    const creation = new Creation(serverOf({ api }));
    void creation.told("%1", "begin");
    const pass = async (seconds: number) => {
      const before = asked;
      for (let i = 0; i < seconds; i++) {
        jest.advanceTimersByTime(1000);
        for (let turn = 0; turn < 5; turn++) await Promise.resolve();
      }
      return asked - before;
    };
    expect(await pass(60)).toBeGreaterThan(8);
    await pass(240);
    expect(await pass(300)).toBeLessThanOrEqual(10);
    expect(creation.untold).toEqual({ "%1": "begin" });
  } finally {
    jest.useRealTimers();
  }
});
