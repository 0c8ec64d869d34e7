import { expect, test } from "bun:test";
import { service } from "../support/service.ts";

const BROWSER = { accept: "text/html,application/xhtml+xml,*/*;q=0.8" };
const PHONE = { host: "box.example.ts.net" };

test("a browser that calls the server by a foreign name reads what opens it", async () => {
  const reply = await service().request("/", { headers: { ...BROWSER, ...PHONE } });
  expect(reply.status).toBe(403);
  expect(reply.headers.get("content-type")).toBe("text/html; charset=utf-8");
  const page = await reply.text();
  expect(page).toContain("This address is not open yet");
  expect(page).toContain("and not as box.example.ts.net.");
  expect(page).toContain("<pre><code>panewatch phone</code></pre>");
});

test("a host name becomes no markup", async () => {
  const reply = await service().request("/", {
    headers: { ...BROWSER, host: "a<script>alert(1)</script>.example" },
  });
  const page = await reply.text();
  expect(page).not.toContain("<script>");
  expect(page).toContain("a&lt;script&gt;");
});

test("its own looks are all that the page may load or run", async () => {
  const reply = await service().request("/", { headers: { ...BROWSER, ...PHONE } });
  const style = /<style>([\s\S]*)<\/style>/.exec(await reply.text())?.[1] ?? "";
  const digest = new Bun.CryptoHasher("sha256").update(style).digest("base64");
  const policy = reply.headers.get("content-security-policy") ?? "";
  expect(policy.split("; ").slice(0, 2)).toEqual([
    "default-src 'none'",
    `style-src 'sha256-${digest}'`,
  ]);
});

test("a browser that opens a path of the API without the token is led to the page", async () => {
  const headers = { ...BROWSER, "sec-fetch-mode": "navigate" };
  const reply = await service({ token: "secret" }).request("/api/panes", { headers });
  expect(reply.status).toBe(401);
  const page = await reply.text();
  expect(page).toContain('<a href="/">Open panewatch</a>');
  expect(page).not.toContain("secret");
});

test.each([
  ["a program", { accept: "*/*" }],
  ["a script of a page", { ...BROWSER, "sec-fetch-mode": "cors" }],
])("%s is refused in JSON as ever", async (_, headers) => {
  const reply = await service().request("/api/panes", { headers: { ...headers, ...PHONE } });
  expect(reply.status).toBe(403);
  expect(await reply.json()).toEqual({
    detail: "without a token, this host name is refused; server.public_urls may allow it",
  });
});

test("what is refused for another reason stays JSON in a browser too", async () => {
  const reply = await service().request("/api/panes", {
    headers: { ...BROWSER, origin: "https://evil.example" },
  });
  expect(reply.status).toBe(403);
  expect(reply.headers.get("content-type")).toContain("application/json");
});
