import { expect, test } from "bun:test";
import { Connections } from "../../src/connections/connections.ts";
import { FakeClock } from "../support/clock.ts";

const connection = (ua = "", kill = () => {}) => ({ ip: "127.0.0.1", ua, kill });

test("ids are 8 hex characters and no two are equal", () => {
  const connections = new Connections({ clock: new FakeClock() });
  const ids = Array.from({ length: 2000 }, () => connections.add(connection()));
  expect(new Set(ids).size).toBe(2000);
  for (const id of ids) expect(id).toMatch(/^[0-9a-f]{8}$/);
  expect(connections.list().map(({ id }) => id)).toEqual(ids);
});

test("a user agent is cut and an age rounded to 0.1 s", () => {
  const clock = new FakeClock();
  const connections = new Connections({ clock });
  connections.add(connection("x".repeat(10_000)));
  clock.advance(0.26);
  expect(connections.list()[0]).toMatchObject({ ua: "x".repeat(300), age: 0.3 });
});

test("a session is killed once, and is not listed from then on", () => {
  const connections = new Connections({ clock: new FakeClock() });
  let kills = 0;
  const id = connections.add(connection("", () => kills++));
  const other = connections.add(connection());
  expect(connections.kill(id)).toBe(true);
  expect(connections.list().map((session) => session.id)).toEqual([other]);
  expect(connections.kill(id)).toBe(false);
  expect(kills).toBe(1);
  connections.remove(other);
  expect(connections.kill(other)).toBe(false);
});
