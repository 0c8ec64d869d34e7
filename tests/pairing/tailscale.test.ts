import { describe, expect, test } from "bun:test";
import { factsOf } from "../../src/pairing/tailscale.ts";

const TARGET = { host: "127.0.0.1", port: 8787 };
const status = { BackendState: "Running", Self: { DNSName: "box.tail1.ts.net.", Online: true } };
const web = (place: string, proxy: string, path = "/") => ({
  [place]: { Handlers: { [path]: { Proxy: proxy } } },
});
const on = (serving: unknown, target = TARGET) => {
  const facts = factsOf(status, serving, target);
  if (facts.state !== "on") throw new Error(facts.state);
  return facts;
};

describe("Tailscale", () => {
  test.each([
    ["gives no answer", undefined, false],
    ["is stopped", { ...status, BackendState: "Stopped" }, true],
    ["wants a login", { BackendState: "NeedsLogin", Self: null }, true],
    ["has no name for this machine", { ...status, Self: { DNSName: "" } }, true],
  ])("is off when it %s", (_, told, hasDaemon) => {
    expect(factsOf(told, {}, TARGET)).toEqual({ state: "off", hasDaemon });
  });

  test.each([{}, null, undefined])(
    "serves nothing with the serving configuration %p",
    (serving) => {
      expect(on(serving)).toEqual({
        state: "on",
        served: null,
        url: "https://box.tail1.ts.net",
        serve: ["serve", "--bg", "8787"],
      });
    },
  );

  test.each(["http://127.0.0.1:8787", "http://localhost:8787/", "http://[::1]:8787"])(
    "serves this service at %s",
    (proxy) => {
      const { served } = on({
        TCP: { 443: { HTTPS: true } },
        Web: web("box.tail1.ts.net:443", proxy),
      });
      expect(served).toEqual({
        url: "https://box.tail1.ts.net",
        isPublic: false,
        off: ["serve", "--https=443", "off"],
      });
    },
  );

  test("keeps port 443 for something else, and offers port 8443", () => {
    for (const Web of [
      web("box.tail1.ts.net:443", "http://127.0.0.1:3000"),
      web("box.tail1.ts.net:443", "http://127.0.0.1:8787", "/panes"),
      web("box.tail1.ts.net:443", "http://192.168.1.9:8787"),
      undefined,
    ]) {
      const facts = on({ TCP: { 443: { HTTPS: true } }, Web });
      expect(facts.served).toBeNull();
      expect(facts.serve).toEqual(["serve", "--bg", "--https=8443", "8787"]);
      expect(facts.url).toBe("https://box.tail1.ts.net:8443");
    }
  });

  test("keeps other paths beside this service when that is switched off", () => {
    const { served } = on({
      TCP: { 8443: { HTTPS: true } },
      Web: {
        "box.tail1.ts.net:8443": {
          Handlers: { "/": { Proxy: "http://127.0.0.1:8787" }, "/x": { Text: "hi" } },
        },
      },
      AllowFunnel: { "box.tail1.ts.net:8443": true },
    });
    expect(served).toEqual({
      url: "https://box.tail1.ts.net:8443",
      isPublic: true,
      off: ["serve", "--https=8443", "--set-path=/", "off"],
    });
  });

  test("does not count as serving this service without encryption", () => {
    const Web = web("box.tail1.ts.net:80", "http://127.0.0.1:8787");
    expect(on({ TCP: { 80: { HTTP: true } }, Web }).served).toBeNull();
  });

  test("serves this service also by a command in the foreground", () => {
    const one = {
      TCP: { 443: { HTTPS: true } },
      Web: web("b.ts.net:443", "http://127.0.0.1:8787"),
    };
    expect(on({ Foreground: { session: one } }).served?.url).toBe("https://b.ts.net");
  });

  test("is given the whole address of a service that is bound to an address of its own", () => {
    expect(on({}, { host: "192.168.1.5", port: 9 }).serve.at(-1)).toBe("http://192.168.1.5:9");
    expect(on({}, { host: "::1", port: 9 }).serve.at(-1)).toBe("http://[::1]:9");
    expect(on({}, { host: "0.0.0.0", port: 9 }).serve.at(-1)).toBe("9");
  });
});
