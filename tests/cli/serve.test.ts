import { expect, test } from "bun:test";
import { greeting, requireSupported } from "../../src/cli/serve.ts";
import { NOTHING_KEPT } from "../../src/config/kept-access.ts";
import { resolve, type Layer } from "../../src/config/resolve.ts";
import { StartupError } from "../../src/errors.ts";

const sourcesOf = (flags: Layer, keptToken = "") => ({
  config: resolve({ yaml: {}, overlay: {}, flags }),
  kept: { ...NOTHING_KEPT, token: keptToken },
});

test("a bind beyond this machine needs a token", () => {
  for (const host of ["0.0.0.0", "::", "192.168.1.2", "box.lan"]) {
    const open = sourcesOf({ "server.host": host });
    expect(() => requireSupported(open)).toThrow(StartupError);
    expect(() => requireSupported(open)).toThrow(`refusing to bind ${host} with an empty token`);
    requireSupported(sourcesOf({ "server.host": host, "server.token": "t" }));
    requireSupported(sourcesOf({ "server.host": host }, "kept"));
  }
  for (const host of ["127.0.0.1", "::1", "localhost"])
    requireSupported(sourcesOf({ "server.host": host }));
});

test("the greeting names address, state and the way from a phone", () => {
  const facts = { url: "http://127.0.0.1:9", stateDir: "/s" };
  const text = greeting({ ...facts, onPhone: "https://box.example" });
  expect(text).toContain("http://127.0.0.1:9");
  expect(text).toContain("/s");
  expect(text).toEndWith("On a phone: https://box.example\n");
  expect(greeting({ ...facts, onPhone: null })).not.toContain("On a phone");
});

test("a token for reading needs the other one, and differs from it", () => {
  const read = (token: string) =>
    sourcesOf({ "server.token": token, "server.read_token": "guest" });
  requireSupported(read("secret"));
  requireSupported(sourcesOf({ "server.read_token": "guest" }, "kept"));
  expect(() => requireSupported(read(""))).toThrow("server.read_token needs server.token");
  expect(() => requireSupported(read("guest"))).toThrow("a token that only looks is another");
});
