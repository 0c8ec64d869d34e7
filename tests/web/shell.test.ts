import { afterEach, beforeEach, expect, jest, test } from "bun:test";
import { VERSION } from "../../src/protocol/version.ts";
import { Shell } from "../../web/state/browser/shell.ts";

beforeEach(() => void jest.useFakeTimers());
afterEach(() => void jest.useRealTimers());

test("without a worker, as over plain HTTP, the server's version tells that the page is an old one", () => {
  const shell = new Shell({ navigator: {} } as Window);
  shell.learn(VERSION);
  expect(shell.hasUpdate.value).toBe(false);
  shell.learn("99.0.0");
  expect(shell.hasUpdate.value).toBe(true);
});

test("Reload reloads on a network that hangs too", async () => {
  let reloads = 0;
  const registration = {
    update: () => new Promise(() => undefined),
    installing: null,
    waiting: null,
  };
  const window = {
    navigator: { serviceWorker: { getRegistration: async () => registration } },
    location: { reload: () => void reloads++ },
  };
  // The shell uses no more of a window for this.
  void new Shell(window as unknown as Window).applyUpdate();
  for (let ms = 0; ms < 5000 && reloads === 0; ms += 100) {
    for (let i = 0; i < 5; i++) await Promise.resolve();
    jest.advanceTimersByTime(100);
  }
  expect(reloads).toBe(1);
});
