import { afterEach, beforeEach, expect, jest, test } from "bun:test";
import { CLOSE_NORMAL, CLOSE_TRY_AGAIN } from "../../src/protocol/close.ts";
import { Feed, type FeedPhase } from "../../web/net/feed.ts";
import { FakeSocket } from "../support/page-server.ts";

beforeEach(() => void jest.useFakeTimers());
afterEach(() => void jest.useRealTimers());

function openFeed() {
  const sockets: FakeSocket[] = [];
  const frames: string[] = [];
  const phases: FeedPhase[] = [];
  const ends: number[] = [];
  let cursor = 0;
  const urls: string[] = [];
  const feed = new Feed({
    open: (url) => {
      urls.push(url);
      const socket = new FakeSocket();
      sockets.push(socket);
      return socket as unknown as WebSocket; // The feed uses no more of it.
    },
    url: () => `ws://test/ws/agents?cursor=${cursor}`,
    onFrame: (text) => {
      frames.push(text);
      cursor = Number(text);
    },
    onPhase: (phase) => void phases.push(phase),
    onEnd: (code) => void ends.push(code),
  });
  const last = () => sockets.at(-1);
  return {
    feed,
    sockets,
    frames,
    phases,
    ends,
    urls,
    say: (text: string) => last()?.onmessage?.({ data: text }),
    drop: (code: number) => last()?.onclose?.({ code, reason: "" }),
  };
}

test("it is live with the first frame, and goes on from there after a loss", () => {
  const { feed, frames, phases, say, drop, urls } = openFeed();
  feed.start();
  feed.start();
  say("41");
  drop(1006);
  expect(phases).toEqual(["connecting", "live", "connecting"]);
  jest.advanceTimersByTime(1000);
  say("42");
  expect(phases.at(-1)).toBe("live");
  expect(frames).toEqual(["41", "42"]);
  expect(urls).toEqual(["ws://test/ws/agents?cursor=0", "ws://test/ws/agents?cursor=41"]);
});

test("what is away for ten seconds is down, and live again with the next frame", () => {
  const { feed, phases, say, drop } = openFeed();
  feed.start();
  say("1");
  drop(1006);
  jest.advanceTimersByTime(10_000);
  expect(phases).toEqual(["connecting", "live", "connecting", "down"]);
  jest.advanceTimersByTime(10_000);
  say("2");
  expect(phases.at(-1)).toBe("live");
});

test("a socket that says nothing is let go and opened anew", () => {
  const { feed, sockets, say } = openFeed();
  feed.start();
  say("1");
  jest.advanceTimersByTime(29_000);
  expect(sockets.length).toBe(1);
  jest.advanceTimersByTime(2_500);
  expect(sockets[0]?.isClosed).toBe(true);
  expect(sockets.length).toBe(2);
});

test("switched off, it ends: it is not asked for again by itself", () => {
  const { feed, sockets, phases, ends, say, drop } = openFeed();
  feed.start();
  say("1");
  drop(CLOSE_NORMAL);
  jest.advanceTimersByTime(120_000);
  expect(ends).toEqual([CLOSE_NORMAL]);
  expect(phases.at(-1)).toBe("ended");
  expect(sockets.length).toBe(1);
  feed.start();
  expect(sockets.length).toBe(2);
});

test("told to try again later, it does, less and less often, and says so each time", () => {
  const { feed, sockets, phases, ends, say, drop } = openFeed();
  feed.start();
  say("1");
  for (const waitMs of [800, 1300, 2300, 4300]) {
    drop(CLOSE_TRY_AGAIN);
    const { length } = sockets;
    jest.advanceTimersByTime(waitMs);
    expect(sockets.length).toBe(length + 1);
  }
  expect(ends).toEqual(Array(4).fill(CLOSE_TRY_AGAIN));
  expect(phases.at(-1)).toBe("connecting");
  say("2");
  expect(phases.at(-1)).toBe("live");
});

test("a stopped one is off, whatever its old socket still says", () => {
  const { feed, sockets, frames, phases } = openFeed();
  feed.start();
  const old = sockets[0];
  const say = old?.onmessage;
  feed.stop();
  say?.({ data: "late" });
  jest.advanceTimersByTime(120_000);
  expect(frames).toEqual([]);
  expect(phases.at(-1)).toBe("off");
  expect(sockets.length).toBe(1);
});
