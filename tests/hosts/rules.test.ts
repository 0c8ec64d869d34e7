import { describe, expect, test } from "bun:test";
import { destinationFault, nameFault } from "../../src/config/checks.ts";
import { linkCommand } from "../../src/hosts/remote-shell.ts";
import { paceOf } from "../../src/hosts/host.ts";
import {
  isDue,
  type LinkEvent,
  type LinkState,
  nextLinkState,
  OFF,
  type Refusal,
  sshRefusal,
} from "../../src/hosts/link-state.ts";
import { momentOf } from "../../src/lib/clock.ts";
import { FakeClock } from "../support/clock.ts";

const UNREACHABLE: Refusal = { reason: "unreachable", detail: "no route" };
const ended = (refusal = UNREACHABLE, random = 0.5): LinkEvent => ({
  is: "ended",
  refusal,
  random,
});

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
    /** Seconds until the next attempt; null: none is planned. */
    wait: () => (state.retryAt === null ? null : state.retryAt - clock.monotonic()),
  };
}

describe("a link that fails", () => {
  test("is tried again after 1, 2, 4 … 30 s, and after a long time live after 1 s again", () => {
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

  test("waits a random part longer or shorter than others that failed with it", () => {
    const early = stage();
    const late = stage();
    early.take({ is: "begun" }, ended(UNREACHABLE, 0));
    late.take({ is: "begun" }, ended(UNREACHABLE, 1));
    expect([early.wait(), late.wait()]).toEqual([0.75, 1.25]);
  });

  test("shortly after each connection waits longer every time", () => {
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

  test("is tried ten times in five minutes at most, however often somebody asks", () => {
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

describe("the time of a link's state", () => {
  test("since the host is away stays while the link is tried again", () => {
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

  test("until the next attempt does not follow a wall clock that is set", () => {
    const { take, wait, isDue, clock } = stage();
    take({ is: "begun" }, ended());
    clock.adjustWall(1e6);
    expect([wait(), isDue()]).toEqual([1, false]);
  });
});

test("a stopped link is not tried again, also when somebody asks", () => {
  const { take, isDue, clock } = stage();
  take({ is: "begun" }, ended(), { is: "stopped" }, { is: "asked" });
  clock.advance(1e6);
  expect(isDue()).toBe(false);
});

test.each([
  ["Host key verification failed.\r\n", "unknown_host_key"],
  [
    "No ED25519 host key is known for box and you have requested strict checking.\r\nHost key verification failed.\r\n",
    "unknown_host_key",
  ],
  [
    "@    WARNING: REMOTE HOST IDENTIFICATION HAS CHANGED!     @\nHost key verification failed.\n",
    "changed_host_key",
  ],
  ["me@box: Permission denied (publickey).\n", "refused_key"],
  ["Received disconnect from 10.0.0.7: 2: Too many authentication failures\n", "refused_key"],
  ["ssh: connect to host box port 22: Connection timed out\n", "timeout"],
  ["ssh: connect to host box port 22: Connection refused\n", "unreachable"],
  ["ssh: Could not resolve hostname box: Name or service not known\n", "unreachable"],
] as const)(
  "the ssh message %j is the refusal %s, with its last line as detail",
  (message, reason) => {
    const last = message.trim().split(/\r?\n/).at(-1) ?? "";
    expect(sshRefusal(255, message)).toEqual({ reason, detail: last });
  },
);

test("a shell that ends before it is ready by another error than ssh's is refused as no_shell", () => {
  expect(sshRefusal(127, "nu: exec: not found\n")).toMatchObject({ reason: "no_shell" });
  expect(sshRefusal(0, "")).toEqual({ reason: "no_shell", detail: null });
});

test("the detail of a refusal is one line of 300 characters without control characters", () => {
  const { detail } = sshRefusal(255, `first\n\u001b[31m${"x".repeat(400)}\u0007\n\n`);
  expect(detail).toBe("x".repeat(300));
});

test.each([
  "-oProxyCommand=touch /tmp/x",
  "-J",
  "me@-oProxyCommand=x",
  "ssh://-x",
  "a b",
  "a\nb",
  "a\u0000b",
  "",
  "$(touch x)",
  "a;b",
  "`x`",
  "a'b",
  "a".repeat(256),
])("%j is no valid destination", (ssh) => {
  expect(destinationFault(ssh)).not.toBeNull();
});

test.each(["gpu-1", "me@10.0.0.7", "ssh://me@box:2222", "me@fe80::1%eth0", "a".repeat(255)])(
  "%j is accepted as a destination, and stands behind -- in the arguments of ssh",
  (ssh) => {
    expect(destinationFault(ssh)).toBeNull();
    expect(linkCommand(ssh).slice(-3)).toEqual(["--", ssh, "exec /bin/sh"]);
  },
);

test.each(["local", "", "GPU", "a b", "a:b", "a".repeat(33)])("%j is no valid name", (name) => {
  expect(nameFault(name)).not.toBeNull();
});

test.each([
  ["a near host has the local interval", 0.7, 4, false, 0.7],
  ["a far host has three round trips", 0.7, 400, false, 1.2],
  ["a host without a round trip yet has the local interval", 0.7, null, false, 0.7],
  ["an idle host has twice the interval", 0.7, 4, true, 1.4],
  ["an idle far host has twice its own", 0.7, 400, true, 2.4],
  ["no host waits longer than five seconds", 0.7, 4000, false, 5],
  ["no idle host waits longer than five seconds", 3, 4, true, 5],
  ["an interval above five seconds is kept", 10, 4, true, 10],
])(
  "a pass over a link waits long enough: %s",
  (_, intervalSeconds, roundTripMs, isIdle, seconds) => {
    expect(paceOf({ intervalSeconds, roundTripMs, isIdle })).toBeCloseTo(seconds, 6);
  },
);
