import { expect, test } from "bun:test";
import { Touch } from "../../web/state/browser/touch.ts";

/** A window that hears events, and a clock that stands. */
function watched() {
  const window = new EventTarget();
  const time = { ms: 10_000 };
  const touch = new Touch(() => time.ms);
  touch.watch(window as unknown as Window);
  const tell = (type: string, members: object = {}) =>
    void window.dispatchEvent(Object.assign(new Event(type), members));
  return { touch, time, tell };
}

test("a hand is on the screen while its button is down, and for the time since", () => {
  const { touch, time, tell } = watched();
  expect(touch.untouchedMs()).toBe(Number.POSITIVE_INFINITY);
  tell("pointerdown", { pointerType: "mouse", button: 0 });
  time.ms += 5000;
  expect(touch.untouchedMs()).toBe(0);
  tell("pointerup");
  time.ms += 700;
  expect(touch.untouchedMs()).toBe(700);
});

test("a right click whose menu swallows its end does not hold the page up", () => {
  const { touch, time, tell } = watched();
  tell("pointerdown", { pointerType: "mouse", button: 2 });
  time.ms += 1200;
  expect(touch.untouchedMs()).toBe(1200);
});

test("scrolling by itself counts as the hand's only as long as it follows one", () => {
  const { touch, time, tell } = watched();
  tell("scroll");
  expect(touch.untouchedMs()).toBe(Number.POSITIVE_INFINITY);
  tell("wheel");
  for (let i = 0; i < 10; i++) {
    time.ms += 150;
    tell("scroll");
  }
  expect(touch.untouchedMs()).toBe(0);
  time.ms += 250;
  tell("scroll");
  expect(touch.untouchedMs()).toBe(250);
});

test("a touch that has ended listens no more, whichever way it ended", () => {
  const window = new EventTarget();
  const time = { ms: 10_000 };
  const touch = new Touch(() => time.ms);
  touch.watch(window as unknown as Window);
  Reflect.set(globalThis, "TouchEvent", Event);
  try {
    window.dispatchEvent(Object.assign(new Event("touchstart"), { touches: [1] }));
    window.dispatchEvent(Object.assign(new Event("touchend"), { touches: [] }));
    time.ms += 900;
    // Of another touch: this one has no say in it.
    window.dispatchEvent(Object.assign(new Event("touchcancel"), { touches: [] }));
    expect(touch.untouchedMs()).toBe(900);
  } finally {
    Reflect.deleteProperty(globalThis, "TouchEvent");
  }
});
