import { expect, test } from "bun:test";
import { isLoopback } from "../../src/lib/loopback.ts";

test("only addresses of this machine alone are loopback", () => {
  for (const host of ["127.0.0.1", "127.9.9.9", "localhost", "LOCALHOST", "::1", "[::1]"])
    expect(isLoopback(host)).toBe(true);
  for (const host of ["0.0.0.0", "::", "", "192.168.1.4", "127.0.0.1.example", "localhost.example"])
    expect(isLoopback(host)).toBe(false);
});
