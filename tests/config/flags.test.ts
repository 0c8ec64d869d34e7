import { expect, test } from "bun:test";
import { readFlags } from "../../src/config/resolve.ts";
import { StartupError } from "../../src/errors.ts";

test("flags become the settings of their keys, each in its type", () => {
  const typed = {
    port: "0",
    host: "::1",
    token: "123",
    "include-shells": true,
    "terminal-provider": "tmux",
    config: "c.yaml",
  };
  expect(readFlags(typed)).toEqual({
    "server.host": "::1",
    "server.port": 0,
    "server.token": "123",
    "terminal.provider": "mux",
    "discovery.include_shells": true,
  });
  expect(readFlags({})).toEqual({});
});

for (const value of ["70000", "x", "", "-1", "80.5", "0x50", " 80"]) {
  test(`--port ${JSON.stringify(value)} is refused, not clamped`, () => {
    expect(() => readFlags({ port: value })).toThrow(StartupError);
    expect(() => readFlags({ port: value })).toThrow(/--port/);
  });
}

for (const host of ["[::1]", "fe80::1%eth0", ""]) {
  test(`--host ${JSON.stringify(host)} is refused as neither a name nor an address`, () => {
    expect(() => readFlags({ host })).toThrow(/--host.*must be a host name or an address, IPv6/);
  });
}

test("an unknown --terminal-provider is refused with the allowed values", () => {
  expect(() => readFlags({ "terminal-provider": "screen" })).toThrow(/screen.*mux, wsp/);
});
