import { describe, expect, test } from "bun:test";
import { isCompatible } from "../../web/model/config.ts";
import { takePairingCode, takeToken } from "../../web/state/client.ts";
import { agentHash, paneHash, parseRoute } from "../../web/state/browser/router.ts";

test.each([
  [
    "http://h:1/p?a=%20x&token=s%2Bcret&b#/pane/%2512",
    { token: "s+cret", rest: "http://h:1/p?a=%20x&b#/pane/%2512" },
  ],
  ["http://h/?token=abc", { token: "abc", rest: "http://h/" }],
  ["http://h/?tokens=1", null],
  ["http://h/#?token=abc", null],
])("the token is taken out of %s, and the rest of the address stays as it was", (url, taken) => {
  expect(takeToken(url)).toEqual(taken);
});

test.each([
  ["https://h/p?a=%20x#pair=Ab-1_9", { code: "Ab-1_9", rest: "https://h/p?a=%20x" }],
  ...["#/queue", "#pair=", "?pair=abc", ""].map((end) => [`http://h/${end}`, null] as const),
])("the pairing code is taken out of %s with the whole fragment", (url, taken) => {
  expect(takePairingCode(url)).toEqual(taken);
});

describe("a handshake", () => {
  const compatibility = { protocol_version: 1, minimum_mobile_version: "9.0.0" };
  test.each([
    ["ours", { version: "0.1.0", compatibility }, true],
    ["a newer one", { version: "2.10.3-beta", compatibility }, true],
    ["one without metadata", {}, true],
    ["one without compatibility", { version: "0.1.0" }, true],
    ["another protocol", { compatibility: { ...compatibility, protocol_version: 2 } }, false],
    ["half an object", { compatibility: { protocol_version: 1 } }, false],
    ["a malformed object", { compatibility: [] }, false],
    ["a malformed version", { version: "one", compatibility }, false],
    ["a version before the first", { version: "0.0.9", compatibility }, false],
  ])("is compatible or not: %s", (_name, info, outcome) => {
    expect(isCompatible(info)).toBe(outcome);
  });
});

describe("an address", () => {
  const pane = { screen: "pane", id: "h:a/b c%20%", tab: "screen", at: null } as const;
  const changes = { ...pane, tab: "changes", at: "a/b.ts" } as const;
  const session = { screen: "agent", id: "a/b", at: null, part: null } as const;

  // An opaque id survives the address; addresses of earlier versions still lead to a route.
  test.each([
    [paneHash(pane.id), pane],
    [paneHash(pane.id, "chat", "m/1"), { ...pane, tab: "chat", at: "m/1" }],
    [paneHash(pane.id, "changes", "a/b.ts"), changes],
    [`${paneHash(pane.id)}/chat`, { ...pane, tab: "chat" }],
    [`${paneHash(pane.id)}/context`, { ...pane, tab: "chat" }],
    ["#/agent/a%2Fb", session],
    [agentHash("a/b", "m/1"), { ...session, at: "m/1" }],
    ["#/agent/a%2Fb/now", session],
    ["#/agent/a%2Fb/timeline", session],
    ["#/agent/a%2Fb/chat/m1", { ...session, at: "m1" }],
    ["#/agent/a%2Fb/decisions", { ...session, part: "decisions" }],
    ["#/agents", { screen: "tab", tab: "all" }],
    ["#/timeline", { screen: "tab", tab: "all" }],
    ...["#/pane/%E0%A4%A", "#/agent/%E0%A4%A", "#/agent", "#/elsewhere", ""].map(
      (hash) => [hash, null] as const,
    ),
  ] as const)("leads to its route: %s", (hash, route) => {
    expect(parseRoute(hash)).toEqual(route);
  });
});
