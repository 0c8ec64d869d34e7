import { afterAll, describe, expect, test } from "bun:test";
import { mkdir, rename, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { assetsIn, readAssets } from "../../src/http/static.ts";
import { service } from "../support/service.ts";
import { temporary } from "../support/temporary.ts";

const FILES: Record<string, string> = {
  "index.html": "<!doctype html>",
  "index.html.br": "page in brotli",
  "main-1a2b3c4d.js": "code",
  "main-1a2b3c4d.js.br": "code in brotli",
  "main-1a2b3c4d.js.gz": "code in gzip",
  "sw.js": "worker",
  "manifest.webmanifest": "{}",
  "icons/icon-192.png": "picture",
  "odd.bin": "bytes",
};

const folder = await temporary("assets", afterAll);
await mkdir(join(folder, "icons"));
for (const [path, text] of Object.entries(FILES)) await writeFile(join(folder, path), text);
const assets = await readAssets(folder);

const get = (path: string, headers: Record<string, string> = {}, method = "GET") =>
  service({ assets, token: "secret" }).request(path, { headers, method });

describe("a file of the web client", () => {
  test.each([
    ["/", "<!doctype html>", "text/html;charset=utf-8"],
    ["/index.html", "<!doctype html>", "text/html;charset=utf-8"],
    ["/main-1a2b3c4d.js", "code", "text/javascript;charset=utf-8"],
    ["/sw.js", "worker", "text/javascript;charset=utf-8"],
    ["/manifest.webmanifest", "{}", "application/manifest+json"],
    ["/icons/icon-192.png", "picture", "image/png"],
    ["/odd.bin", "bytes", "application/octet-stream"],
  ])("%s is served without a token", async (path, text, type) => {
    const reply = await get(path);
    expect(reply.status).toBe(200);
    expect(await reply.text()).toBe(text);
    expect(reply.headers.get("content-type")).toBe(type);
    expect(reply.headers.get("x-content-type-options")).toBe("nosniff");
    expect(reply.headers.get("referrer-policy")).toBe("no-referrer");
  });

  test("the policy of the page allows nothing inline or foreign to run", async () => {
    const { headers } = await get("/");
    const policy = headers.get("content-security-policy") ?? "";
    expect(headers.get("cross-origin-opener-policy")).toBe("same-origin");
    expect(policy).toContain("default-src 'none'");
    expect(policy).toContain("script-src 'self';");
    expect(policy).toContain("frame-ancestors 'none'");
    expect(policy).not.toContain("unsafe");
    expect(policy).not.toContain("*");
  });

  test("a file is immutable if its name has its hash, else revalidated", async () => {
    const cache = async (path: string) => (await get(path)).headers.get("cache-control");
    expect(await cache("/main-1a2b3c4d.js")).toBe("public, max-age=31536000, immutable");
    for (const path of [
      "/",
      "/index.html",
      "/sw.js",
      "/icons/icon-192.png",
      "/manifest.webmanifest",
    ])
      expect(await cache(path)).toBe("no-cache");
  });

  test.each([
    ["gzip, deflate, br, zstd", "br", "code in brotli"],
    ["gzip", "gzip", "code in gzip"],
    ["GZIP;q=0.5, br;q=0", "gzip", "code in gzip"],
    ["br;q=1.0", "br", "code in brotli"],
    ["identity", null, "code"],
    ["", null, "code"],
    ["brotli, xgzip", null, "code"],
  ])('it comes in the best coding of accept-encoding "%s"', async (accepted, coding, text) => {
    const reply = await get("/main-1a2b3c4d.js", { "accept-encoding": accepted });
    expect(reply.headers.get("content-encoding")).toBe(coding);
    expect(reply.headers.get("vary")).toBe("accept-encoding");
    expect(await reply.text()).toBe(text);
  });

  test("a file is not sent again for a known etag of the same coding", async () => {
    const plain = (await get("/")).headers.get("etag") ?? "";
    const brotli = (await get("/", { "accept-encoding": "br" })).headers.get("etag") ?? "";
    expect(brotli).not.toBe(plain);
    for (const known of [plain, `"x", W/${plain}`, "*"]) {
      const reply = await get("/", { "if-none-match": known });
      expect(reply.status).toBe(304);
      expect(await reply.text()).toBe("");
      expect(reply.headers.get("etag")).toBe(plain);
    }
    expect((await get("/", { "if-none-match": plain, "accept-encoding": "br" })).status).toBe(200);
    expect((await get("/", { "if-none-match": '"other"' })).status).toBe(200);
  });

  test("HEAD gets its headers only, and other methods get 405", async () => {
    const head = await get("/", {}, "HEAD");
    expect(head.status).toBe(200);
    expect(head.headers.get("content-length")).toBe("15");
    expect(await head.text()).toBe("");
    const post = await get("/sw.js", {}, "POST");
    expect(post.status).toBe(405);
    expect(post.headers.get("allow")).toBe("GET, HEAD");
  });
});

test.each([
  "/main-1a2b3c4d.js.br",
  "/queue",
  "/icons",
  "/icons/",
  "//",
  "/../static.test.ts",
  "/%2e%2e/secret",
  "/icons/..%2findex.html",
])("an unknown path is not found, never the page: %s", async (path) => {
  const reply = await get(path);
  expect(reply.status).toBe(404);
  expect(await reply.json()).toEqual({ detail: "not found" });
});

test("a missing build is an empty web client", async () => {
  expect((await readAssets(join(folder, "absent"))).size).toBe(0);
  expect((await service().request("/")).status).toBe(404);
});

test("the files are read once, and looked for again while they cannot be read", async () => {
  const later = join(await temporary("assets-later", afterAll), "web");
  const assets = assetsIn(later);
  expect((await assets()).size).toBe(0);
  await writeFile(later, "no folder");
  await expect(assets()).rejects.toThrow("ENOTDIR");
  await expect(assets()).rejects.toThrow("ENOTDIR");
  await rm(later);
  await mkdir(`${later}.new`);
  await writeFile(join(`${later}.new`, "index.html"), "page");
  await rename(`${later}.new`, later);
  const found = await assets();
  expect([...found.keys()]).toEqual(["/index.html", "/"]);
  await rm(later, { recursive: true });
  expect(await assets()).toBe(found);
});
