import { describe, expect, test } from "bun:test";
import { AppError, type ErrorKind } from "../../src/errors.ts";
import { MAX_LOGGED, WINDOW_SECONDS } from "../../src/http/auth.ts";
import { pane } from "../support/pane.ts";
import { endpointsOf, service, type ServiceOptions, workspaceOff } from "../support/service.ts";

const STAR = { method: "POST", body: '{"target":"a:1.1","starred":true}' };
const failingWith = (error: unknown): ServiceOptions => ({
  terminal: { star: () => Promise.reject(error) },
});
const star = (options: ServiceOptions) => service(options).request("/api/star", STAR);

describe("error replies", () => {
  const statuses: [ErrorKind, number][] = [
    ["invalid", 400],
    ["unauthorized", 401],
    ["forbidden", 403],
    ["not_found", 404],
    ["conflict", 409],
    ["too_large", 413],
    ["unsupported_media", 415],
    ["malformed", 422],
    ["too_many", 429],
    ["persist_failed", 500],
    ["unavailable", 503],
    ["storage", 507],
  ];

  test.each(statuses)("an error of kind %s has status %d", async (kind, status) => {
    const text = await star(failingWith(new AppError(kind, "why not")));
    expect(text.status).toBe(status);
    expect(await text.json()).toEqual({ detail: "why not" });
    const facts = await star(failingWith(new AppError(kind, "why not", { reason: "r" })));
    expect(await facts.json()).toEqual({ detail: { reason: "r" } });
  });

  test("an unexpected error is in the log and not in the reply", async () => {
    const { request, log } = service(failingWith(new TypeError("cannot read /home/me/x")));
    const reply = await request("/api/star", STAR);
    expect(reply.status).toBe(500);
    expect(await reply.json()).toEqual({ detail: "internal error" });
    expect(log.join("")).toContain("TypeError: cannot read /home/me/x");
  });
});

describe("the log of the HTTP API", () => {
  test("a refusal is one line with the cause that the reply leaves out", async () => {
    const cause = new Error("tmux: no space for new pane");
    const error = new AppError("conflict", "it was refused", undefined, { cause });
    const { request, log } = service(failingWith(error));
    const reply = await request("/api/star", STAR, "192.0.2.7");
    expect(await reply.json()).toEqual({ detail: "it was refused" });
    expect(log).toHaveLength(1);
    expect(log[0]).toContain(
      "info POST /api/star from 192.0.2.7 refused (409): it was refused: tmux: no space for new pane",
    );
  });

  test("a malformed body is logged by its path, without its contents", async () => {
    const { request, log } = service();
    await request("/api/key", { method: "POST", body: '{"id":"%1","key":["my secret words"]}' });
    expect(log.join("")).toContain("body.key invalid_type");
    expect(log.join("")).not.toContain("secret");
  });

  test("repeated wrong tokens fill no log, and a path cannot forge a line", async () => {
    const { request, log } = service({ token: "secret" });
    for (let i = 0; i < 200; i++)
      await request("/api/state", { headers: { authorization: "Bearer no" } });
    expect(log).toHaveLength(MAX_LOGGED);
    await request(`/api/${"x".repeat(5000)}%0Ainfo`);
    expect(log.at(-1)?.trimEnd()).not.toContain("\n");
    expect(log.at(-1)?.length).toBeLessThan(300);
  });

  test("repeated requests without a token fill no log, and do not hide a wrong token", async () => {
    const { request, log, clock } = service({ token: "secret" });
    for (let i = 0; i < 200; i++) await request("/api/state", {}, `10.0.0.${i}`);
    expect(log).toHaveLength(MAX_LOGGED);
    await request("/api/state", { headers: { authorization: "Bearer no" } }, "192.0.2.7");
    expect(log.at(-1)).toContain("GET /api/state from 192.0.2.7 refused (401)");
    clock.advance(WINDOW_SECONDS);
    await request("/api/state", {}, "10.0.0.1");
    expect(log.at(-1)).toContain("from 10.0.0.1 refused (401): bad or missing token");
  });
});

describe("the paths of the HTTP API", () => {
  test.each(endpointsOf(service().slices))(
    "another method gets 405 with the allowed methods: %s",
    async (name) => {
      const [method = "", path = ""] = name.split(" ");
      const reply = await service().request(path.replace(":id", "x"), { method: "PROPFIND" });
      expect(reply.status).toBe(405);
      const allowed = reply.headers.get("allow")?.split(", ") ?? [];
      expect(allowed).toContain(method);
      expect(allowed.includes("HEAD")).toBe(allowed.includes("GET"));
      expect(await reply.json()).toEqual({ detail: "method not allowed" });
    },
  );

  test.each(endpointsOf(workspaceOff()))(
    "%s is unavailable while agent context is disabled",
    async (name) => {
      const [method = "", path = ""] = name.split(" ");
      const reply = await service().request(path.replace(":id", "a-1"), { method });
      expect(reply.status).toBe(503);
      expect(await reply.json()).toEqual({ detail: "agent context is disabled" });
    },
  );

  test("an unknown path or a path of a missing slice gets 404 in JSON", async () => {
    const page = { type: "text/html", hash: "", bodies: {} };
    const assets = new Map([["/index.html", page]]);
    const { request } = service({ assets });
    const paths = ["/api/usage", "/api/mux/creation", "/api/x", "/api", "/api/state/", "/state"];
    for (const path of paths) {
      const reply = await request(path);
      expect([path, reply.status]).toEqual([path, 404]);
      expect(await reply.json()).toEqual({ detail: "not found" });
    }
  });

  test("a socket path without an upgrade gets 426", async () => {
    for (const path of ["/ws", "/ws/agents", "/ws?token=x"]) {
      const reply = await service().request(path);
      expect(reply.status).toBe(426);
      expect(reply.headers.get("upgrade")).toBe("websocket");
      const wrong = await service().request(path, { method: "POST" });
      expect([wrong.status, wrong.headers.get("allow")]).toEqual([405, "GET, HEAD"]);
    }
  });
});

test("every reply of the API has the safety headers and is not stored", async () => {
  const { request } = service({ token: "secret" });
  const good = { headers: { authorization: "Bearer secret" } };
  const replies = [
    await request("/api/state", good),
    await request("/api/state"),
    await request("/api/nothing", good),
    await request("/api/state", { ...good, method: "PUT" }),
    await request("/api/state", { headers: { origin: "https://evil.example" } }),
  ];
  expect(replies.map((reply) => reply.status)).toEqual([200, 401, 404, 405, 403]);
  for (const { headers } of replies) {
    expect(headers.get("x-content-type-options")).toBe("nosniff");
    expect(headers.get("referrer-policy")).toBe("no-referrer");
    expect(headers.get("cross-origin-resource-policy")).toBe("same-origin");
    expect(headers.get("cache-control")).toBe("no-store");
    expect(headers.get("content-type")).toStartWith("application/json");
    expect(headers.has("access-control-allow-origin")).toBe(false);
  }
});

test.each(["/api/state", "/api/config", "/api/nothing"])(
  "HEAD %s is GET without a body",
  async (path) => {
    const { request, hub } = service();
    hub.publish([pane({ title: "ü" })]);
    const get = await request(path);
    const reply = await request(path, { method: "HEAD" });
    expect(reply.status).toBe(get.status);
    expect(reply.headers.get("content-length")).toBe(String((await get.bytes()).length));
    expect(await reply.text()).toBe("");
  },
);

test("a changed configuration is announced to delta clients, a refused change is not", async () => {
  const { request, announced } = service();
  const patch = (body: unknown) =>
    request("/api/config", { method: "PATCH", body: JSON.stringify(body) });
  expect((await patch({ poll_interval: "x" })).status).toBe(400);
  await request("/api/config");
  expect(announced).toEqual([]);
  expect((await patch({ poll_interval: 2 })).status).toBe(200);
  expect(announced).toEqual(["config"]);
});
