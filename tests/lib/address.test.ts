import { expect, test } from "bun:test";
import { isFromHere, isLoopback, listenFailure, nextFreePort } from "../../src/lib/address.ts";

test("only addresses of this machine are loopback", () => {
  for (const host of ["127.0.0.1", "127.9.9.9", "localhost", "LOCALHOST", "::1", "[::1]"])
    expect(isLoopback(host)).toBe(true);
  for (const host of ["0.0.0.0", "::", "", "192.168.1.4", "127.0.0.1.example", "localhost.example"])
    expect(isLoopback(host)).toBe(false);
});

test("a request is from here if its host is this machine and it has no proxy header", () => {
  const here = { host: "localhost:8787" };
  expect(isFromHere(new Headers(here))).toBe(true);
  expect(isFromHere(new Headers())).toBe(false);
  expect(isFromHere(new Headers({ host: "box.example" }))).toBe(false);
  for (const name of [
    "forwarded",
    "via",
    "x-forwarded-for",
    "x-real-ip",
    "cf-connecting-ip",
    "x-client-ip",
  ])
    expect(isFromHere(new Headers({ ...here, [name]: "x" }))).toBe(false);
});

test("nextFreePort skips a port of another program", () => {
  using taken = Bun.listen({ hostname: "127.0.0.1", port: 0, socket: { data() {} } });
  expect(listenFailure("127.0.0.1", taken.port)).toBe("EADDRINUSE");
  const next = nextFreePort("127.0.0.1", taken.port);
  expect(next).toBeGreaterThan(taken.port);
  expect(listenFailure("127.0.0.1", next)).toBeNull();
});
