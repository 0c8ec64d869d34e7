import { expect, test } from "bun:test";
import {
  FlowControlledSocket,
  MAX_STALL_SECONDS,
  PING_SECONDS,
} from "../../src/connections/flow-controlled-socket.ts";
import { FakeClock } from "../support/clock.ts";

function line() {
  const clock = new FakeClock();
  const rawSocket = { untaken: 0, pings: 0, sent: [] as string[], closed: [] as number[] };
  let ends = 0;
  const socketLine = new FlowControlledSocket({
    rawSocket: {
      send: (text) => rawSocket.sent.push(text),
      getBufferedAmount: () => rawSocket.untaken,
      ping: () => ++rawSocket.pings,
      close: (code) => void rawSocket.closed.push(code),
    },
    clock,
    onEnd: () => void ends++,
  });
  return { clock, rawSocket, line: socketLine, ends: () => ends };
}

test("a client that reads a little at a time is slow, not stalled", () => {
  const { clock, rawSocket, line: slow } = line();
  rawSocket.untaken = 10_000;
  for (let pass = 0; pass < 5; pass++) {
    expect(slow.isReady()).toBe(false);
    clock.advance(MAX_STALL_SECONDS - 1);
    rawSocket.untaken -= 1000;
  }
  expect(rawSocket.closed).toEqual([]);
  slow.isReady();
  clock.advance(MAX_STALL_SECONDS);
  expect(slow.isReady()).toBe(false);
  expect(rawSocket.closed).toEqual([1013]);
});

test("a client that does not answer a ping is closed at the next ping", () => {
  const { clock, rawSocket, line: silent, ends } = line();
  clock.advance(PING_SECONDS);
  expect([silent.isReady(), rawSocket.pings]).toEqual([true, 1]);
  silent.answered();
  clock.advance(PING_SECONDS);
  expect([silent.isReady(), rawSocket.pings]).toEqual([true, 2]);
  clock.advance(PING_SECONDS);
  expect(ends()).toBe(0);
  expect([silent.isReady(), rawSocket.pings, ends()]).toEqual([false, 2, 1]);
  expect(rawSocket.closed).toEqual([1013]);
});

test("a client that reads late may not have seen a ping yet, and is not closed", () => {
  const { clock, rawSocket, line: slow } = line();
  clock.advance(PING_SECONDS);
  expect([slow.isReady(), rawSocket.pings]).toEqual([true, 1]);
  rawSocket.untaken = 10_000;
  expect(slow.isReady()).toBe(false);
  rawSocket.untaken = 0;
  clock.advance(PING_SECONDS);
  expect([slow.isReady(), rawSocket.pings, rawSocket.closed]).toEqual([true, 2, []]);
});

test("a socket ends once, and sends nothing afterwards", () => {
  const { rawSocket, line: ended, ends } = line();
  ended.send("a");
  ended.end(4001, "enough");
  ended.end(1001, "again");
  ended.closed();
  ended.send("b");
  expect(ended.isReady()).toBe(false);
  expect({ closed: rawSocket.closed, sent: rawSocket.sent, ends: ends() }).toEqual({
    closed: [4001],
    sent: ["a"],
    ends: 1,
  });
});
