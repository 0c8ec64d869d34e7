import { expect, test } from "bun:test";
import { commandOf, greeting, requireAccess } from "../../src/cli/serve.ts";
import { NO_ACCESS } from "../../src/config/stored-access.ts";
import { resolve, type Layer } from "../../src/config/resolve.ts";
import { StartupError } from "../../src/errors.ts";

const LONG = "sixteen-letters!";
const sourcesOf = (flags: Layer, keptToken = "") => ({
  config: resolve({ yaml: {}, overlay: {}, flags }),
  access: { ...NO_ACCESS, token: keptToken },
});

test("a bind beyond this machine is refused without a token of 16 characters", () => {
  for (const host of ["0.0.0.0", "::", "192.168.1.2", "box.lan"]) {
    const open = sourcesOf({ "server.host": host });
    expect(() => requireAccess(open)).toThrow(StartupError);
    expect(() => requireAccess(open)).toThrow(`refusing to bind ${host} with an empty token`);
    requireAccess(sourcesOf({ "server.host": host, "server.token": LONG }));
    requireAccess(sourcesOf({ "server.host": host }, LONG));
    for (const weak of [
      { "server.token": "a" },
      { "server.token": LONG, "server.read_token": "fifteen-letters" },
    ])
      expect(() => requireAccess(sourcesOf({ "server.host": host, ...weak }))).toThrow(
        `refusing to bind ${host}: a token below 16 characters can be guessed`,
      );
  }
  for (const host of ["127.0.0.1", "::1", "localhost"])
    requireAccess(sourcesOf({ "server.host": host }));
});

test("a short token, or macOS without a token, is a warning at the start", () => {
  const warningsFor = (token: string, platform: NodeJS.Platform = "linux") =>
    requireAccess(sourcesOf({ "server.token": token }), platform);
  expect(warningsFor(LONG)).toEqual([]);
  expect(warningsFor("fifteen-letters")).toEqual([
    expect.stringContaining("a token below 16 characters can be guessed"),
  ]);
  expect(warningsFor("")).toEqual([]);
  expect(warningsFor("", "darwin")).toEqual([
    expect.stringContaining("other users of this machine may type too"),
  ]);
});

test("the greeting has the address, the state folder and the command for a phone", () => {
  const [url, stateDir] = ["http://127.0.0.1:9", "/s"];
  const text = greeting(url, { stateDir, onPhone: "https://box.example" });
  expect(text).toContain("http://127.0.0.1:9");
  expect(text).toContain("/s");
  expect(text).toEndWith("On a phone: https://box.example\n");
  expect(greeting(url, { stateDir, onPhone: null })).not.toContain("On a phone");
  expect(greeting(url, {})).toMatch(/^panewatch \S+ on http:\/\/127.0.0.1:9\n$/);
});

test("the command to start panewatch again fits PATH and the working folder", () => {
  const [executable, folder] = ["/home/a/src/dist/panewatch", "/home/a/src"];
  const command = (found: string | null, at = folder, self: readonly string[] = [executable]) =>
    commandOf(self, { folder: at, found });
  expect(command(executable)).toBe("panewatch");
  expect(command(null)).toBe("dist/panewatch");
  expect(command("/usr/bin/panewatch")).toBe("dist/panewatch");
  expect(command(null, "/home/a/src/dist")).toBe(executable);
  expect(command(null, "/tmp")).toBe(executable);
  expect(command(null, "/home", ["/home/a b/panewatch"])).toBe("'a b/panewatch'");
  expect(command("/usr/bin/bun", "/s", ["/usr/bin/bun", "/s/src/main.ts"])).toBe(
    "/usr/bin/bun src/main.ts",
  );
});

test("a read token is refused without a token or if it equals the token", () => {
  const read = (token: string) =>
    sourcesOf({ "server.token": token, "server.read_token": "guest" });
  requireAccess(read("secret"));
  requireAccess(sourcesOf({ "server.read_token": "guest" }, "kept"));
  expect(() => requireAccess(read(""))).toThrow("server.read_token needs server.token");
  expect(() => requireAccess(read("guest"))).toThrow("a token that only looks is another");
});
