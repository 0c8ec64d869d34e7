import { expect, test } from "bun:test";
import { greeting, requireSupported } from "../../src/cli/serve.ts";
import { resolve, type Layer } from "../../src/config/resolve.ts";
import { StartupError } from "../../src/errors.ts";

const configOf = (flags: Layer) => resolve({ yaml: {}, overlay: {}, flags });

test("a bind beyond this machine needs a token", () => {
  for (const host of ["0.0.0.0", "::", "192.168.1.2", "box.lan"]) {
    const open = configOf({ "server.host": host });
    expect(() => requireSupported(open)).toThrow(StartupError);
    expect(() => requireSupported(open)).toThrow(`refusing to bind ${host} with an empty token`);
    requireSupported(configOf({ "server.host": host, "server.token": "t" }));
  }
  for (const host of ["127.0.0.1", "::1", "localhost"])
    requireSupported(configOf({ "server.host": host }));
});

test("the greeting names address, state and the way from a phone, and never the token", () => {
  const config = configOf({ "server.token": "sesame" });
  const text = greeting({ url: "http://127.0.0.1:9", stateDir: "/s", config });
  expect(text).toContain("http://127.0.0.1:9");
  expect(text).toContain("/s");
  expect(text).toContain("tailscale serve 9");
  expect(text).not.toContain("sesame");
  const published = configOf({ "server.public_urls": ["https://box.example"] });
  expect(greeting({ url: "http://127.0.0.1:9", stateDir: "/s", config: published })).toContain(
    "https://box.example",
  );
});

test("a token for reading needs the other one, and differs from it", () => {
  const read = (token: string) => configOf({ "server.token": token, "server.read_token": "guest" });
  requireSupported(read("secret"));
  expect(() => requireSupported(read(""))).toThrow("server.read_token needs server.token");
  expect(() => requireSupported(read("guest"))).toThrow("a token that only looks is another");
});
