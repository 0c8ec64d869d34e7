import { afterEach, beforeEach, expect, jest, test } from "bun:test";
import { SLEEP_AFTER_MS } from "../../web/net/connection.ts";
import { Presence } from "../../web/state/browser/presence.ts";

beforeEach(() => void jest.useFakeTimers());
afterEach(() => void jest.useRealTimers());

/** A page that the test hides and shows. */
function page({ isHidden = false, hasAlerts = false } = {}) {
  const document = Object.assign(new EventTarget(), { hidden: isHidden });
  const window = Object.assign(new EventTarget(), { document });
  const presence = new Presence(window as unknown as Window, () => hasAlerts); // Of it no more is used.
  presence.start();
  const hide = (hidden: boolean) => {
    document.hidden = hidden;
    document.dispatchEvent(new Event("visibilitychange"));
  };
  return { presence, hide, window };
}

test("a page sleeps once it was hidden for a while, and wakes when it is looked at", () => {
  const { presence, hide } = page();
  hide(true);
  expect(presence.attention.value).toBe("hidden");
  jest.advanceTimersByTime(SLEEP_AFTER_MS);
  expect(presence.attention.value).toBe("asleep");
  hide(false);
  expect(presence.attention.value).toBe("visible");
});

test("a page that is looked at again in time does not sleep", () => {
  const { presence, hide } = page();
  hide(true);
  jest.advanceTimersByTime(SLEEP_AFTER_MS - 1);
  hide(false);
  jest.advanceTimersByTime(SLEEP_AFTER_MS);
  expect(presence.attention.value).toBe("visible");
});

test("a tab that begins behind others sleeps as well", () => {
  const { presence } = page({ isHidden: true });
  expect(presence.attention.value).toBe("hidden");
  jest.advanceTimersByTime(SLEEP_AFTER_MS);
  expect(presence.attention.value).toBe("asleep");
});

test("a page with alerts goes on listening, however long it is hidden", () => {
  const { presence, hide } = page({ hasAlerts: true });
  hide(true);
  jest.advanceTimersByTime(10 * SLEEP_AFTER_MS);
  expect(presence.attention.value).toBe("hidden");
});

test("a page that sleeps does not wake because it is hidden once more", () => {
  const { presence, hide } = page();
  hide(true);
  jest.advanceTimersByTime(SLEEP_AFTER_MS);
  hide(true);
  expect(presence.attention.value).toBe("asleep");
});

test("the network that comes back is counted", () => {
  const { presence, window } = page();
  window.dispatchEvent(new Event("online"));
  window.dispatchEvent(new Event("online"));
  expect(presence.returns.value).toBe(2);
});
