import { expect, spyOn, test } from "bun:test";
import { setImmediate } from "node:timers/promises";
import { grantsSlice } from "../../src/grants/routes.ts";
import { createLog } from "../../src/lib/log.ts";
import { fakeCredentials } from "../support/credentials.ts";
import { memoryLedger } from "../support/ledger.ts";

test("devices that nobody has used for long are gone before the start is over", async () => {
  const { credentials } = fakeCredentials();
  const tended = Promise.withResolvers<void>();
  using _ = spyOn(credentials, "tend").mockReturnValue(tended.promise);
  const slice = grantsSlice({
    ...{ credentials, record: memoryLedger(), log: createLog(() => {}) },
    ...{ sockets: () => 0, alerts: () => 0 },
  });
  let isStarted = false;
  const started = Promise.resolve(slice.start?.()).then(() => (isStarted = true));
  await setImmediate();
  expect(isStarted).toBe(false);
  tended.resolve();
  await started;
  await slice.stop?.();
});
