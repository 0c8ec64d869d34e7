import { describe, expect, test } from "bun:test";
import {
  isDue,
  type LinkEvent,
  type LinkState,
  nextLinkState,
  OFF,
  type Refusal,
} from "../../src/hosts/link-state.ts";
import { momentOf } from "../../src/lib/clock.ts";
import { FakeClock } from "../support/clock.ts";

const UNREACHABLE: Refusal = { reason: "unreachable", detail: "no route" };
const ended = (refusal = UNREACHABLE, random = 0.5): LinkEvent => ({
  is: "ended",
  refusal,
  random,
});

/** A link whose time is the test's. */
function stage() {
  const clock = new FakeClock();
  let state: LinkState = OFF;
  return {
    clock,
    take(...events: LinkEvent[]): LinkState {
      for (const event of events) state = nextLinkState(state, event, momentOf(clock));
      return state;
    },
    isDue: () => isDue(state, momentOf(clock)),
    /** Seconds until it is tried again; null: never by itself. */
    wait: () => (state.retryAt === null ? null : state.retryAt - clock.monotonic()),
  };
}

describe("a link that fails", () => {
  test("is tried again after 1, 2, 4 … 30 s, and after a good while after 1 s again", () => {
    const { take, wait, clock } = stage();
    const waits = [1, 2, 3, 4, 5, 6, 7].map(() => {
      take({ is: "begun" }, ended());
      clock.advance(40);
      return (wait() ?? NaN) + 40;
    });
    expect(waits).toEqual([1, 2, 4, 8, 16, 30, 30]);
    clock.advance(300);
    take({ is: "begun" }, { is: "answered" });
    clock.advance(60);
    take(ended());
    expect(wait()).toBe(1);
  });

  test("keeps its distance from others that failed with it", () => {
    const early = stage();
    const late = stage();
    early.take({ is: "begun" }, ended(UNREACHABLE, 0));
    late.take({ is: "begun" }, ended(UNREACHABLE, 1));
    expect([early.wait(), late.wait()]).toEqual([0.75, 1.25]);
  });

  test("that comes and goes is not tried at once every time", () => {
    const { take, wait } = stage();
    const flap: LinkEvent[] = [{ is: "begun" }, { is: "answered" }, ended()];
    take(...flap, ...flap, ...flap);
    expect(wait()).toBe(4);
  });

  test.each(["refused_key", "unknown_host_key", "changed_host_key"] as const)(
    "by %s is not tried again until somebody asks",
    (reason) => {
      const { take, wait, isDue, clock } = stage();
      take({ is: "begun" }, ended({ reason, detail: null }));
      expect(wait()).toBeNull();
      clock.advance(1e6);
      expect(isDue()).toBe(false);
      take({ is: "asked" });
      expect(isDue()).toBe(true);
    },
  );

  test("is tried ten times in five minutes at most, whoever asks", () => {
    const { take, wait, isDue, clock } = stage();
    for (let attempt = 0; attempt < 10; attempt++) {
      take({ is: "begun" }, ended(), { is: "asked" });
      if (attempt < 9) expect(isDue()).toBe(true);
      clock.advance(1);
    }
    expect(isDue()).toBe(false);
    expect(wait()).toBe(290);
    clock.advance(290);
    expect(isDue()).toBe(true);
  });
});

describe("since when", () => {
  test("it is away does not move while it is tried again", () => {
    const { take, clock } = stage();
    take({ is: "begun" });
    clock.advance(5);
    take({ is: "answered" });
    clock.advance(100);
    const left = clock.now();
    take(ended());
    clock.advance(10);
    expect(take({ is: "begun" })).toMatchObject({ status: "connecting", since: left });
    expect(take(ended())).toMatchObject({ status: "away", since: left, refusal: UNREACHABLE });
    clock.advance(10);
    expect(take({ is: "begun" }, { is: "answered" })).toMatchObject({
      status: "live",
      since: clock.now(),
      refusal: null,
    });
  });

  test("a wall clock that is set moves no attempt", () => {
    const { take, wait, isDue, clock } = stage();
    take({ is: "begun" }, ended());
    clock.adjustWall(1e6);
    expect([wait(), isDue()]).toEqual([1, false]);
  });
});

test("what is stopped is not tried again, and asking changes nothing", () => {
  const { take, isDue, clock } = stage();
  take({ is: "begun" }, ended(), { is: "stopped" }, { is: "asked" });
  clock.advance(1e6);
  expect(isDue()).toBe(false);
});
