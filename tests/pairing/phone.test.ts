import { describe, expect, test } from "bun:test";
import { CLOSE_BAD_TOKEN } from "../../src/protocol/socket.ts";
import { PhoneState } from "../../src/protocol/access.ts";
import { service } from "../support/service.ts";
import { connect } from "../support/client.ts";

type Service = ReturnType<typeof service>;
const bearer = (token: string) => ({ authorization: `Bearer ${token}` });
const HERE = { host: "127.0.0.1:8787" };
const make = (one: Service, headers: Record<string, string> = HERE) =>
  one.request("/api/phone/token", { method: "POST", headers });
const remove = (one: Service, headers: Record<string, string> = HERE) =>
  one.request("/api/phone/token", { method: "DELETE", headers });
const state = async (one: Service, headers: Record<string, string> = HERE, query = "") =>
  PhoneState.strict().parse(await (await one.request(`/api/phone${query}`, { headers })).json());

async function pairedToken(one: Service, token: string): Promise<string> {
  const link = await one.request("/api/pair/codes", { method: "POST", headers: bearer(token) });
  const { short_code: code } = await link.json();
  const body = JSON.stringify({ code, name: "iPhone" });
  return (await (await one.request("/api/pair", { method: "POST", body })).json()).token;
}

const TOKEN = "long-enough-to-be-kept";
const FORWARDED =
  "without a token, what a proxy forwards is refused: panewatch phone --address makes one and takes the proxy's address";

describe("making a token", () => {
  test("is allowed to a page of this machine without a token, which is required from then on", async () => {
    const one = service();
    const reply = await make(one);
    expect(reply.status).toBe(201);
    expect(reply.headers.get("cache-control")).toBe("no-store");
    const { token } = await reply.json();
    expect((await one.request("/api/state", { headers: HERE })).status).toBe(401);
    const asOwner = { headers: bearer(token) };
    expect((await one.request("/api/state", asOwner)).status).toBe(200);
    const { _info } = await (await one.request("/api/config", asOwner)).json();
    expect(_info.token_set).toBe(true);
    expect(_info.capabilities.pairing_v1).toEqual({ version: 1 });
    expect(one.log.join("")).not.toContain(token);
  });

  test("is allowed to a command of this machine, and is in the log and in the phone state", async () => {
    const one = service({ localSecret: "local" });
    expect((await make(one, bearer("local"))).status).toBe(201);
    expect(one.log.join("")).toContain("access: a token was made by this machine at 127.0.0.1");
    expect((await state(one, bearer("local"))).token_made).toEqual({
      at: one.clock.now(),
      by: "local",
    });
    expect((await one.request("/api/state", { headers: bearer("local") })).status).toBe(200);
    const { grants } = await (
      await one.request("/api/grants", { headers: bearer("local") })
    ).json();
    expect(grants).toMatchObject([
      { id: "token", by: "local", created_at: one.clock.now() },
      { id: "local", by: null, created_at: null },
    ]);
  });

  test.each([
    [
      "a page behind a proxy with X-Forwarded-For",
      { ...HERE, "x-forwarded-for": "100.64.0.2" },
      FORWARDED,
    ],
    ["a page behind a proxy with Forwarded", { ...HERE, forwarded: "for=100.64.0.2" }, FORWARDED],
    [
      "a page of a published address",
      { host: "desk.example" },
      "this is set up on the machine itself: panewatch phone",
    ],
  ])("is refused to %s", async (_, headers, detail) => {
    const one = service({ publicUrls: ["https://desk.example"] });
    const reply = await make(one, headers);
    expect(reply.status).toBe(403);
    expect(await reply.json()).toEqual({ detail });
    expect(one.credentials.isRequired).toBe(false);
  });

  test("leaves no token in force when it cannot be stored", async () => {
    const one = service();
    one.refuse(Object.assign(new Error("full"), { code: "ENOSPC" }));
    expect((await make(one)).status).toBe(507);
    expect((await one.request("/api/state", { headers: HERE })).status).toBe(200);
  });
});

describe("removing the token", () => {
  test("is allowed with the token and to a command of this machine, and refused to a paired phone", async () => {
    const one = service({ keptToken: "kept", localSecret: "local" });
    expect((await remove(one)).status).toBe(401);
    const phone = await pairedToken(one, "kept");
    expect((await remove(one, bearer(phone))).status).toBe(403);
    expect((await remove(one, bearer("local"))).status).toBe(200);
    expect(one.log.join("")).toContain(
      "access: the token (devices: 1) was removed by this machine at 127.0.0.1",
    );
    expect((await one.request("/api/state", { headers: HERE })).status).toBe(200);
    const other = service({ keptToken: "kept" });
    expect((await remove(other, bearer("kept"))).status).toBe(200);
  });

  test("is refused while there are accepted addresses", async () => {
    const one = service({ keptToken: "kept" });
    const headers = bearer("kept");
    const body = JSON.stringify({ address: "https://box.example/" });
    const accept = { method: "POST", headers, body };
    expect((await one.request("/api/phone/addresses", accept)).status).toBe(200);
    const refused = await remove(one, headers);
    expect(refused.status).toBe(409);
    expect((await refused.json()).detail).toEndWith("forget them first");
    const forget = { method: "DELETE", headers };
    expect((await one.request("/api/phone/addresses", forget)).status).toBe(200);
    expect((await remove(one, headers)).status).toBe(200);
  });
});

describe("an open socket", () => {
  const open = async (port: number, token = "", headers: Record<string, string> = {}) => {
    const socket = connect(port, `/ws?token=${token}`, headers);
    await socket.take(1);
    return socket;
  };

  test("of a page of this machine is closed with a code that signs in again once a token is made", async () => {
    const one = service({ localSecret: "local" });
    const server = one.listen();
    const here = await open(server.port);
    const command = await open(server.port, "local");
    await one.credentials.makeToken("anybody");
    const { code, reason } = await here.closed;
    expect(code).toBe(CLOSE_BAD_TOKEN);
    const body = JSON.stringify({ code: reason.replace("pair=", "") });
    const { token } = await (await one.request("/api/pair", { method: "POST", body })).json();
    expect((await one.request("/api/state", { headers: bearer(token) })).status).toBe(200);
    expect((await one.request("/api/pair", { method: "POST", body })).status).toBe(401);
    // A command of this machine signs in as before.
    one.hub.publish([]);
    await command.take(3);
    await server.stop();
  });

  test("of a removed phone is closed, and the token of that phone is refused", async () => {
    const one = service({ token: "secret" });
    const server = one.listen();
    const phone = await pairedToken(one, "secret");
    const [page, own] = [await open(server.port, phone), await open(server.port, "secret")];
    const [device] = (await state(one, bearer("secret"))).phones;
    expect(device?.name).toBe("iPhone");
    const path = `/api/phone/devices/${device?.id}`;
    const forget = { method: "DELETE", headers: bearer("secret") };
    expect((await one.request(path, forget)).status).toBe(200);
    expect((await one.request(path, forget)).status).toBe(404);
    expect(await page.closed).toEqual({ code: CLOSE_BAD_TOKEN, reason: "signed out" });
    expect((await one.request("/api/state", { headers: bearer(phone) })).status).toBe(401);
    one.hub.publish([]);
    await own.take(3);
    await server.stop();
  });
});

describe("the address for a phone", () => {
  const serve = ["serve", "--bg", "8787"];
  const tailscale = (served: boolean) => ({
    state: "on" as const,
    url: "https://box.tail1.ts.net",
    serve,
    served: served
      ? { url: "https://box.tail1.ts.net", isPublic: false, off: ["serve", "--https=443", "off"] }
      : null,
  });
  const checks = ({ checks }: PhoneState) =>
    checks.map(({ id, state, title, command }) => [id, state, title, command]);

  test("the checks name one obstacle after another, each with its remedy", async () => {
    let isServed = false;
    const one = service({ tailscale: () => tailscale(isServed) });
    expect(checks(await state(one))).toEqual([
      ["password", "failed", "It has no token", null],
      ["reachable", "waiting", "Reachable", null],
      ["encrypted", "waiting", "Encrypted", null],
    ]);
    const { token } = await (await make(one)).json();
    const blocked = await state(one, bearer(token));
    expect(blocked.address).toBe("http://127.0.0.1:8787");
    expect(checks(blocked)).toEqual([
      ["password", "ok", "Has a token", null],
      ["reachable", "failed", "No phone can reach this address", "tailscale serve --bg 8787"],
      ["encrypted", "waiting", "Encrypted", null],
    ]);
    isServed = true;
    one.clock.advance(1);
    const free = await state(one, bearer(token));
    expect(free.address).toBe("https://box.tail1.ts.net");
    expect(free.checks.map(({ sentence }) => sentence)).toEqual([
      "Made on this machine",
      "From every device in your tailnet. The phone needs the Tailscale app, signed in.",
      "HTTPS by Tailscale",
    ]);
    expect(free.checks.every(({ state }) => state === "ok")).toBe(true);
  });

  test("a pairing code is made for the address that Tailscale serves, which is accepted then", async () => {
    const one = service({ keptToken: "kept", tailscale: () => tailscale(true) });
    const ask = { method: "POST", headers: bearer("kept") };
    const { url } = await (await one.request("/api/pair/codes", ask)).json();
    expect(url).toStartWith("https://box.tail1.ts.net/#pair=");
    expect(one.credentials.addresses).toEqual(["https://box.tail1.ts.net"]);
  });

  test("an address that Tailscale no longer serves is dropped, one of the person's own stays", async () => {
    const one = service({ keptToken: "kept", tailscale: () => tailscale(false) });
    await one.credentials.accept("https://box.tail1.ts.net");
    expect((await state(one, bearer("kept"))).address).toBe("http://127.0.0.1:8787");
    await one.credentials.accept("https://own.example");
    expect((await state(one, bearer("kept"))).address).toBe("https://own.example");
  });

  test("the configured address comes first, then that of Tailscale, then the accepted ones", async () => {
    const publicUrls = ["https://first.example"];
    const one = service({ token: TOKEN, publicUrls, tailscale: () => tailscale(true) });
    await one.credentials.accept("http://192.168.1.5:8787");
    const ask = { method: "POST", headers: bearer(TOKEN) };
    const { url, other_urls } = await (await one.request("/api/pair/codes", ask)).json();
    expect([url, ...other_urls].map((link: string) => new URL(link).origin)).toEqual([
      "https://first.example",
      "https://box.tail1.ts.net",
      "http://192.168.1.5:8787",
    ]);
  });

  test.each([
    [{ state: "off", hasDaemon: true }, "and is off:", /^(sudo )?tailscale up$/],
    [{ state: "off", hasDaemon: false }, "and does not run:", /tailscale/],
  ] as const)(
    "with Tailscale %p the check says %p and names a command",
    async (facts, sentence, command) => {
      const one = service({ keptToken: "kept", tailscale: () => facts });
      const check = (await state(one, bearer("kept"))).checks[1];
      expect(check?.sentence).toContain(sentence);
      expect(check?.command).toMatch(command);
    },
  );

  test("without Tailscale the check names the page to download it from", async () => {
    const one = service({ keptToken: "kept", tailscale: () => ({ state: "none" }) });
    const check = (await state(one, bearer("kept"))).checks[1];
    expect(check?.sentence).toEndWith("https://tailscale.com/download");
    expect(check?.command).toBeNull();
  });

  test("a page at its own https address passes all checks, at an http address not the one for encryption", async () => {
    const one = service({ keptToken: "kept" });
    const page = async (origin: string) =>
      state(one, { ...bearer("kept"), host: "own.example" }, `?page=${origin}`);
    expect((await page("https://own.example")).checks.map(({ state }) => state)).toEqual([
      "ok",
      "ok",
      "ok",
    ]);
    expect(checks(await page("http://own.example"))[2]).toEqual([
      "encrypted",
      "failed",
      "Not encrypted",
      null,
    ]);
    expect((await page("https://else.example")).address).toBe("http://127.0.0.1:8787");
  });

  test.each(["ftp://a.example", "https://a.example/path", "nonsense"])(
    "the address %p is refused",
    async (address) => {
      const one = service({ keptToken: "kept" });
      const init = { method: "POST", headers: bearer("kept"), body: JSON.stringify({ address }) };
      expect((await one.request("/api/phone/addresses", init)).status).toBe(400);
    },
  );
});
