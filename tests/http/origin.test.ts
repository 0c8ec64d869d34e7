import { describe, expect, test } from "bun:test";
import { type OriginRules, requireOwnOrigin } from "../../src/http/origin.ts";
import { service } from "../support/service.ts";

const RULES: OriginRules = {
  bindHost: "127.0.0.1",
  publicUrls: ["https://panes.example.net", "https://other.example.net:8443"],
  tokenRequired: true,
};

function admits(headers: Record<string, string>, rules: Partial<OriginRules> = {}): boolean {
  try {
    requireOwnOrigin(new Headers(headers), { ...RULES, ...rules });
    return true;
  } catch {
    return false;
  }
}

describe("a request's origin", () => {
  test.each([
    ["127.0.0.1:8787", "http://127.0.0.1:8787"],
    ["box:8787", "http://BOX:8787"],
    ["box", "https://box"],
    ["box:443", "https://box"],
    ["box", "http://box:80"],
    ["[::1]:8787", "http://[::1]:8787"],
    ["127.0.0.1:8787", "https://panes.example.net"],
    ["127.0.0.1:8787", "https://other.example.net:8443"],
  ])("an origin of this server is admitted: host %s, origin %s", (host, origin) => {
    expect(admits({ host, origin })).toBe(true);
  });

  test.each([
    ["127.0.0.1:8787", "http://127.0.0.1:8788"],
    ["127.0.0.1:8787", "http://localhost:8787"],
    ["127.0.0.1:8787", "null"],
    ["127.0.0.1:8787", ""],
    ["127.0.0.1:8787", "file://"],
    ["127.0.0.1:8787", "https://evil.example"],
    ["127.0.0.1:8787", "http://panes.example.net"],
    ["127.0.0.1:8787", "https://panes.example.net.evil.example"],
    ["box", "https://box:8443"],
    ["evil.example/@box", "http://box"],
  ])("another origin is refused: host %s, origin %s", (host, origin) => {
    expect(admits({ host, origin })).toBe(false);
  });

  test("a foreign page's request that hides its origin is refused, a link is not", () => {
    const host = "127.0.0.1:8787";
    const admitsFrom = (site: string, mode: string) =>
      admits({ host, "sec-fetch-site": site, "sec-fetch-mode": mode }, { tokenRequired: false });
    for (const site of ["cross-site", "same-site"]) {
      expect(admitsFrom(site, "no-cors")).toBe(false);
      expect(admitsFrom(site, "navigate")).toBe(true);
    }
    expect(admitsFrom("same-origin", "cors")).toBe(true);
    expect(admitsFrom("none", "navigate")).toBe(true);
  });

  test("a request without an origin is admitted, without a host refused", () => {
    expect(admits({ host: "anything" })).toBe(true);
    expect(admits({ origin: "http://127.0.0.1:8787" })).toBe(false);
  });
});

describe("a host name on a server without a token", () => {
  const open = { tokenRequired: false };

  test.each([
    "127.0.0.1:8787",
    "127.9.9.9",
    "localhost",
    "LOCALHOST:1",
    "localhost.",
    "[::1]:8787",
  ])("a loopback host is admitted: %s", (host) => {
    expect(admits({ host }, open)).toBe(true);
  });

  test("the bound host and public hosts are admitted", () => {
    expect(admits({ host: "box:8787" }, { ...open, bindHost: "box" })).toBe(true);
    expect(admits({ host: "[fd00::1]:8787" }, { ...open, bindHost: "fd00::1" })).toBe(true);
    expect(admits({ host: "panes.example.net" }, open)).toBe(true);
    expect(admits({ host: "other.example.net" }, open)).toBe(true);
  });

  test.each([
    "evil.example",
    "127.0.0.1.evil.example",
    "localhost.evil.example",
    "evil@localhost",
    "",
  ])("a host that a foreign page could have resolved to here is refused: %s", (host) => {
    expect(admits({ host }, open)).toBe(false);
  });

  test("with a token any host is admitted", () => {
    expect(admits({ host: "evil.example" })).toBe(true);
  });
});

test("a foreign origin is refused for every path, before the token is checked", async () => {
  const { request } = service({ token: "secret" });
  const headers = { origin: "https://evil.example", host: "127.0.0.1:8787" };
  for (const path of ["/api/state", "/api/nothing", "/", "/ws"]) {
    const reply = await request(path, { headers });
    expect(reply.status).toBe(403);
    expect(await reply.json()).toEqual({
      detail: "requests of another origin are refused; server.public_urls may allow it",
    });
  }
});

describe("a request with proxy headers", () => {
  const brought = (name: string) => ({ host: "127.0.0.1:8787", [name]: "100.64.0.2" });
  test.each([
    ...["Forwarded", "Via", "X-Forwarded-For", "X-Forwarded-Host", "X-Forwarded-Proto"],
    ...["X-Forwarded-Anything", "X-Real-IP", "CF-Connecting-IP", "True-Client-IP"],
  ])("a proxy header is refused on a server without a token: %s", (name) => {
    expect(admits(brought(name), { tokenRequired: false })).toBe(false);
    expect(admits(brought(name))).toBe(true);
  });

  test("the refusal names the command panewatch phone --address", async () => {
    const reply = await service().request("/api/state", { headers: { "x-real-ip": "192.0.2.1" } });
    expect(reply.status).toBe(403);
    expect((await reply.json()).detail).toContain("panewatch phone --address");
  });
});

const BROWSER = { accept: "text/html,application/xhtml+xml,*/*;q=0.8" };
const PHONE = { host: "box.example.ts.net" };

test("a browser at a foreign host name gets a page that names the command", async () => {
  const reply = await service().request("/", { headers: { ...BROWSER, ...PHONE } });
  expect(reply.status).toBe(403);
  expect(reply.headers.get("content-type")).toBe("text/html; charset=utf-8");
  const page = await reply.text();
  expect(page).toContain("This address is not open yet");
  expect(page).toContain("and not as box.example.ts.net.");
  expect(page).toContain("<pre><code>panewatch phone</code></pre>");
});

test("a host name is escaped in the refusal page", async () => {
  const reply = await service().request("/", {
    headers: { ...BROWSER, host: "a<script>alert(1)</script>.example" },
  });
  const page = await reply.text();
  expect(page).not.toContain("<script>");
  expect(page).toContain("a&lt;script&gt;");
});

test("the refusal page may load nothing but its own style", async () => {
  const reply = await service().request("/", { headers: { ...BROWSER, ...PHONE } });
  const style = /<style>([\s\S]*)<\/style>/.exec(await reply.text())?.[1] ?? "";
  const digest = new Bun.CryptoHasher("sha256").update(style).digest("base64");
  const policy = reply.headers.get("content-security-policy") ?? "";
  expect(policy.split("; ").slice(0, 2)).toEqual([
    "default-src 'none'",
    `style-src 'sha256-${digest}'`,
  ]);
});

test("a browser at an API path without a token gets a page with a link to the app", async () => {
  const headers = { ...BROWSER, "sec-fetch-mode": "navigate" };
  const reply = await service({ token: "secret" }).request("/api/panes", { headers });
  expect(reply.status).toBe(401);
  const page = await reply.text();
  expect(page).toContain('<a href="/">Open panewatch</a>');
  expect(page).not.toContain("secret");
});

test.each([
  ["a program", { accept: "*/*" }],
  ["a client that prefers JSON", { accept: "application/json, text/html;q=0.5" }],
  ["a Java client", { accept: "text/html, image/gif, image/jpeg, *; q=.2, */*; q=.2" }],
  ["a script of a page", { ...BROWSER, "sec-fetch-mode": "cors" }],
])("%s gets a refusal in JSON", async (_, headers) => {
  const reply = await service().request("/api/panes", { headers: { ...headers, ...PHONE } });
  expect(reply.status).toBe(403);
  expect(await reply.json()).toEqual({
    detail: "without a token, this host name is refused; server.public_urls may allow it",
  });
});

test("a refused origin gets JSON in a browser too", async () => {
  const reply = await service().request("/api/panes", {
    headers: { ...BROWSER, origin: "https://evil.example" },
  });
  expect(reply.status).toBe(403);
  expect(reply.headers.get("content-type")).toContain("application/json");
});
