import { describe, expect, test } from "bun:test";
import { requestLink, serviceUrl } from "../../src/cli/pair.ts";
import { MAX_WRONG_TOKENS } from "../../src/http/auth.ts";
import { PairingLink } from "../../src/protocol/pairing.ts";
import { service } from "../support/service.ts";

const TOKEN = "s3cret-token";
const asOwner = { method: "POST", headers: { authorization: `Bearer ${TOKEN}` } };
const exchange = (code: unknown) => ({ method: "POST", body: JSON.stringify({ code }) });

async function issued(one: ReturnType<typeof service>): Promise<string> {
  const reply = await one.request("/api/pair/codes", asOwner);
  const link = PairingLink.strict().parse(await reply.json());
  return new URL(link.url).hash.replace("#pair=", "");
}

describe("a code", () => {
  test("is given to who has the token, and exchanged without one", async () => {
    const one = service({ token: TOKEN });
    expect((await one.request("/api/pair/codes", { method: "POST" })).status).toBe(401);
    const code = await issued(one);
    const reply = await one.request("/api/pair", exchange(code));
    expect(reply.status).toBe(200);
    expect(reply.headers.get("cache-control")).toBe("no-store");
    expect(await reply.json()).toEqual({ token: TOKEN });
    const again = await one.request("/api/pair", exchange(code));
    expect(again.status).toBe(401);
    expect(await again.json()).toEqual({ detail: "the code is wrong, used or too old" });
    expect(one.log.join("")).not.toContain(code);
  });

  test("that is wrong counts like a wrong token; a good one is exchanged all the same", async () => {
    const one = service({ token: TOKEN });
    const code = await issued(one);
    for (let guess = 0; guess < MAX_WRONG_TOKENS; guess += 1)
      expect((await one.request("/api/pair", exchange("guess"))).status).toBe(401);
    const refused = await one.request("/api/pair", exchange("guess"));
    expect(refused.status).toBe(429);
    expect(refused.headers.get("retry-after")).not.toBeNull();
    expect((await one.request("/api/pair", exchange("guess"), "192.0.2.1")).status).toBe(401);
    expect((await one.request("/api/pair", exchange(code))).status).toBe(200);
  });

  test("is not exchanged for another site's page", async () => {
    const one = service({ token: TOKEN });
    const request = { ...exchange(await issued(one)), headers: { origin: "https://evil.example" } };
    expect((await one.request("/api/pair", request)).status).toBe(403);
  });

  test.each([{}, { code: 1 }, []])("%p is no exchange", async (body) => {
    const one = service({ token: TOKEN });
    const reply = await one.request("/api/pair", { method: "POST", body: JSON.stringify(body) });
    expect(reply.status).toBe(422);
  });

  test("names the page's own address first when it is a public one", async () => {
    const one = service({ token: TOKEN, publicUrls: ["https://desk.example"] });
    const reply = await one.request("/api/pair/codes", asOwner);
    expect((await reply.json()).url).toStartWith("https://desk.example/#pair=");
  });
});

describe("panewatch pair", () => {
  test("asks the service of this machine, past any proxy of the environment", async () => {
    const one = service({ token: TOKEN });
    const server = one.listen();
    const proxied: string[] = [];
    using proxy = Bun.serve({
      port: 0,
      hostname: "127.0.0.1",
      fetch: (request) => {
        proxied.push(request.url);
        return new Response();
      },
    });
    const before = process.env.HTTP_PROXY;
    process.env.HTTP_PROXY = proxy.url.href;
    try {
      const link = await requestLink({ url: serviceUrl("0.0.0.0", server.port), token: TOKEN });
      expect(link.url).toContain("#pair=");
      expect(proxied).toEqual([]);
    } finally {
      if (before === undefined) delete process.env.HTTP_PROXY;
      else process.env.HTTP_PROXY = before;
      await server.stop();
    }
  });

  test("tells what to do when that fails", async () => {
    const server = service({ token: TOKEN }).listen();
    const url = serviceUrl("127.0.0.1", server.port);
    const failure = (token: string) =>
      requestLink({ url, token }).catch((error: Error) => error.message);
    expect(await failure("other")).toBe(
      `the panewatch at ${url} has another token: give its --config`,
    );
    expect(await failure("")).toBe("pairing needs a token: set server.token");
    using other = Bun.serve({ port: 0, hostname: "127.0.0.1", fetch: () => new Response("hi") });
    expect(
      await requestLink({ url: other.url.origin, token: TOKEN }).catch((error) => error.message),
    ).toBe(`what answers at ${other.url.origin} cannot pair (200)`);
    await server.stop();
    expect(await failure(TOKEN)).toBe(
      `no panewatch answers at ${url}: start it, or give its --config, --host and --port`,
    );
  });

  test("reaches a wildcard bind by loopback, and others by their address", () => {
    expect(serviceUrl("0.0.0.0", 1)).toBe("http://127.0.0.1:1");
    expect(serviceUrl("::", 1)).toBe("http://[::1]:1");
    expect(serviceUrl("fd00::1", 1)).toBe("http://[fd00::1]:1");
    expect(serviceUrl("192.168.1.5", 1)).toBe("http://192.168.1.5:1");
  });
});
