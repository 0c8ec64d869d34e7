import { expect, test } from "bun:test";
import { DeltaFeed, DeltaTexts } from "../../src/http/pane-feed.ts";
import { MAX_STALL_SECONDS, PaneSocket } from "../../src/http/pane-socket.ts";
import { FakeClock } from "../support/clock.ts";

test("a client that takes a little again and again is slow, not stalled", () => {
  const clock = new FakeClock();
  const current = () => ({ sequence: 1, panes: [], styles: new Map() });
  let untaken = 10_000;
  const closed: number[] = [];
  const socket = new PaneSocket({
    wire: {
      send: () => 1,
      getBufferedAmount: () => untaken,
      ping: () => 1,
      close: (code) => void closed.push(code),
    },
    feed: new DeltaFeed(new DeltaTexts()),
    clock,
    current,
    onEnd: () => undefined,
  });
  socket.open("0000000a");
  for (let pass = 0; pass < 5; pass++) {
    socket.publish(current());
    clock.advance(MAX_STALL_SECONDS - 1);
    untaken -= 1000;
  }
  expect(closed).toEqual([]);
  socket.publish(current());
  clock.advance(MAX_STALL_SECONDS);
  socket.publish(current());
  expect(closed).toEqual([1013]);
});
