import { describe, expect, test } from "bun:test";
import { CLOSE_BAD_TOKEN } from "../../src/protocol/socket.ts";
import { PhoneState } from "../../src/protocol/access.ts";
import { service } from "../support/service.ts";
import { connect } from "../support/client.ts";

type Service = ReturnType<typeof service>;
const bearer = (token: string) => ({ authorization: `Bearer ${token}` });
const HERE = { host: "127.0.0.1:8787" };
const make = (app: Service, headers: Record<string, string> = HERE) =>
  app.request("/api/phone/token", { method: "POST", headers });
const remove = (app: Service, headers: Record<string, string> = HERE) =>
  app.request("/api/phone/token", { method: "DELETE", headers });
const state = async (app: Service, headers: Record<string, string> = HERE, query = "") =>
  PhoneState.strict().parse(await (await app.request(`/api/phone${query}`, { headers })).json());

async function pairedToken(app: Service, token: string): Promise<string> {
  const link = await app.request("/api/pair/codes", { method: "POST", headers: bearer(token) });
  const { short_code: code } = await link.json();
  const body = JSON.stringify({ code, name: "iPhone" });
  return (await (await app.request("/api/pair", { method: "POST", body })).json()).token;
}

const TOKEN = "long-enough-to-be-kept";
const FORWARDED =
  "without a token, what a proxy forwards is refused: panewatch phone --address makes one and takes the proxy's address";

describe("making a token", () => {
  test("is allowed to a page of this machine without a token, which is required from then on", async () => {
    const app = service();
    const reply = await make(app);
    expect(reply.status).toBe(201);
    expect(reply.headers.get("cache-control")).toBe("no-store");
    const { token } = await reply.json();
    expect((await app.request("/api/state", { headers: HERE })).status).toBe(401);
    const asOwner = { headers: bearer(token) };
    expect((await app.request("/api/state", asOwner)).status).toBe(200);
    const { _info } = await (await app.request("/api/config", asOwner)).json();
    expect(_info.token_set).toBe(true);
    expect(_info.capabilities.pairing_v1).toEqual({ version: 1 });
    expect(app.log.join("")).not.toContain(token);
  });

  test("is allowed to a command of this machine, and is in the log and in the phone state", async () => {
    const app = service({ localSecret: "local" });
    expect((await make(app, bearer("local"))).status).toBe(201);
    expect(app.log.join("")).toContain("access: a token was made by this machine at 127.0.0.1");
    expect((await state(app, bearer("local"))).token_made).toEqual({
      at: app.clock.now(),
      by: "local",
    });
    expect((await app.request("/api/state", { headers: bearer("local") })).status).toBe(200);
    const { grants } = await (
      await app.request("/api/grants", { headers: bearer("local") })
    ).json();
    expect(grants).toMatchObject([
      { id: "token", by: "local", created_at: app.clock.now() },
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
    const app = service({ publicUrls: ["https://desk.example"] });
    const reply = await make(app, headers);
    expect(reply.status).toBe(403);
    expect(await reply.json()).toEqual({ detail });
    expect(app.credentials.isRequired).toBe(false);
  });

  test("leaves no token in force when it cannot be stored", async () => {
    const app = service();
    app.refuse(Object.assign(new Error("full"), { code: "ENOSPC" }));
    expect((await make(app)).status).toBe(507);
    expect((await app.request("/api/state", { headers: HERE })).status).toBe(200);
  });
});

describe("removing the token", () => {
  test("is allowed with the token and to a command of this machine, and refused to a paired phone", async () => {
    const app = service({ keptToken: "kept", localSecret: "local" });
    expect((await remove(app)).status).toBe(401);
    const phone = await pairedToken(app, "kept");
    expect((await remove(app, bearer(phone))).status).toBe(403);
    expect((await remove(app, bearer("local"))).status).toBe(200);
    expect(app.log.join("")).toContain(
      "access: the token (devices: 1) was removed by this machine at 127.0.0.1",
    );
    expect((await app.request("/api/state", { headers: HERE })).status).toBe(200);
    const other = service({ keptToken: "kept" });
    expect((await remove(other, bearer("kept"))).status).toBe(200);
  });

  test("is refused while there are accepted addresses", async () => {
    const app = service({ keptToken: "kept" });
    const headers = bearer("kept");
    const body = JSON.stringify({ address: "https://box.example/" });
    const accept = { method: "POST", headers, body };
    expect((await app.request("/api/phone/addresses", accept)).status).toBe(200);
    const refused = await remove(app, headers);
    expect(refused.status).toBe(409);
    expect((await refused.json()).detail).toEndWith("forget them first");
    const forget = { method: "DELETE", headers };
    expect((await app.request("/api/phone/addresses", forget)).status).toBe(200);
    expect((await remove(app, headers)).status).toBe(200);
  });
});

describe("an open socket", () => {
  const open = async (port: number, token = "", headers: Record<string, string> = {}) => {
    const socket = connect(port, `/ws?token=${token}`, headers);
    await socket.take(1);
    return socket;
  };

  test("of a page of this machine is closed with a code that signs in again once a token is made", async () => {
    const app = service({ localSecret: "local" });
    const server = app.listen();
    const here = await open(server.port);
    const command = await open(server.port, "local");
    await app.credentials.makeToken("anybody");
    const { code, reason } = await here.closed;
    expect(code).toBe(CLOSE_BAD_TOKEN);
    const body = JSON.stringify({ code: reason.replace("pair=", "") });
    const { token } = await (await app.request("/api/pair", { method: "POST", body })).json();
    expect((await app.request("/api/state", { headers: bearer(token) })).status).toBe(200);
    expect((await app.request("/api/pair", { method: "POST", body })).status).toBe(401);
    // A command of this machine signs in as before.
    app.hub.publish([]);
    await command.take(3);
    await server.stop();
  });

  test("of a removed phone is closed, and the token of that phone is refused", async () => {
    const app = service({ token: "secret" });
    const server = app.listen();
    const phone = await pairedToken(app, "secret");
    const [page, own] = [await open(server.port, phone), await open(server.port, "secret")];
    const [device] = (await state(app, bearer("secret"))).phones;
    expect(device?.name).toBe("iPhone");
    const path = `/api/phone/devices/${device?.id}`;
    const forget = { method: "DELETE", headers: bearer("secret") };
    expect((await app.request(path, forget)).status).toBe(200);
    expect((await app.request(path, forget)).status).toBe(404);
    expect(await page.closed).toEqual({ code: CLOSE_BAD_TOKEN, reason: "signed out" });
    expect((await app.request("/api/state", { headers: bearer(phone) })).status).toBe(401);
    app.hub.publish([]);
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
    const app = service({ tailscale: () => tailscale(isServed) });
    expect(checks(await state(app))).toEqual([
      ["password", "failed", "It has no token", null],
      ["reachable", "waiting", "Reachable", null],
      ["encrypted", "waiting", "Encrypted", null],
    ]);
    const { token } = await (await make(app)).json();
    const blocked = await state(app, bearer(token));
    expect(blocked.address).toBe("http://127.0.0.1:8787");
    expect(checks(blocked)).toEqual([
      ["password", "ok", "Has a token", null],
      ["reachable", "failed", "No phone can reach this address", "tailscale serve --bg 8787"],
      ["encrypted", "waiting", "Encrypted", null],
    ]);
    isServed = true;
    const free = await state(app, bearer(token));
    expect(free.address).toBe("https://box.tail1.ts.net");
    expect(free.checks.map(({ sentence }) => sentence)).toEqual([
      "Made on this machine",
      "From every device in your tailnet. The phone needs the Tailscale app, signed in.",
      "HTTPS by Tailscale",
    ]);
    expect(free.checks.every(({ state }) => state === "ok")).toBe(true);
  });

  test("a pairing code is made for the address that Tailscale serves, which is accepted then", async () => {
    const app = service({ keptToken: "kept", tailscale: () => tailscale(true) });
    const ask = { method: "POST", headers: bearer("kept") };
    const { url } = await (await app.request("/api/pair/codes", ask)).json();
    expect(url).toStartWith("https://box.tail1.ts.net/#pair=");
    expect(app.credentials.addresses).toEqual(["https://box.tail1.ts.net"]);
  });

  test("an address that Tailscale no longer serves is dropped, one of the person's own stays", async () => {
    const app = service({ keptToken: "kept", tailscale: () => tailscale(false) });
    await app.credentials.accept("https://box.tail1.ts.net");
    expect((await state(app, bearer("kept"))).address).toBe("http://127.0.0.1:8787");
    await app.credentials.accept("https://own.example");
    expect((await state(app, bearer("kept"))).address).toBe("https://own.example");
  });

  test("the configured address comes first, then that of Tailscale, then the accepted ones", async () => {
    const publicUrls = ["https://first.example"];
    const app = service({ token: TOKEN, publicUrls, tailscale: () => tailscale(true) });
    await app.credentials.accept("http://192.168.1.5:8787");
    const ask = { method: "POST", headers: bearer(TOKEN) };
    const { url, other_urls } = await (await app.request("/api/pair/codes", ask)).json();
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
    "with Tailscale as %j the check says %j and names a command",
    async (facts, sentence, command) => {
      const app = service({ keptToken: "kept", tailscale: () => facts });
      const check = (await state(app, bearer("kept"))).checks[1];
      expect(check?.sentence).toContain(sentence);
      expect(check?.command).toMatch(command);
    },
  );

  test("without Tailscale the check names the page to download it from", async () => {
    const app = service({ keptToken: "kept", tailscale: () => ({ state: "none" }) });
    const check = (await state(app, bearer("kept"))).checks[1];
    expect(check?.sentence).toEndWith("https://tailscale.com/download");
    expect(check?.command).toBeNull();
  });

  test("a page at its own https address passes all checks, at an http address not the one for encryption", async () => {
    const app = service({ keptToken: "kept" });
    const page = async (origin: string) =>
      state(app, { ...bearer("kept"), host: "own.example" }, `?page=${origin}`);
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
      const app = service({ keptToken: "kept" });
      const init = { method: "POST", headers: bearer("kept"), body: JSON.stringify({ address }) };
      expect((await app.request("/api/phone/addresses", init)).status).toBe(400);
    },
  );
});
