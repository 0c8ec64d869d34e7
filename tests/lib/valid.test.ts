import { afterAll, describe, expect, test } from "bun:test";
import { Hono } from "hono";
import { z } from "zod";
import { AppError } from "../../src/errors.ts";
import { errorReply, requestName } from "../../src/http/errors.ts";
import { createLog } from "../../src/lib/log.ts";
import { MAX_JSON_BYTES, valid } from "../../src/lib/valid.ts";

const Body = z.object({ id: z.string(), count: z.number().default(1) });
const app = new Hono()
  .post("/list", valid("json", z.array(Body)), (c) => c.json(c.req.valid("json" as never)))
  .post("/schema", valid("json", Body), (c) => c.json(c.req.valid("json" as never)))
  .post("/own", valid("json", z.unknown()), (c) => c.json({ got: c.req.valid("json" as never) }))
  .get("/query", valid("query", z.object({ days: z.coerce.number() })), (c) =>
    c.json(c.req.valid("query" as never)),
  );
app.onError((error) =>
  error instanceof AppError
    ? Response.json({ kind: error.kind, detail: error.detail }, { status: 400 })
    : new Response("unexpected", { status: 500 }),
);

const server = Bun.serve({
  port: 0,
  hostname: "127.0.0.1",
  fetch: (request) => app.fetch(request),
});
afterAll(() => server.stop(true));

async function post(path: string, body: BodyInit | null, type?: string) {
  const headers = type === undefined ? undefined : { "content-type": type };
  const reply = await fetch(new URL(path, server.url), {
    method: "POST",
    body,
    ...(headers ? { headers } : {}),
  });
  return (await reply.json()) as Record<string, unknown>;
}
const bytes = (text: string) => new TextEncoder().encode(text);

describe("a JSON body", () => {
  test.each(["application/json; charset=utf-8", "Application/JSON", "application/problem+json ;"])(
    "a body is accepted as %s",
    async (type) => {
      expect(await post("/schema", '{"id":"%1","count":2}', type)).toEqual({ id: "%1", count: 2 });
      expect(await post("/own", "[1]", type)).toEqual({ got: [1] });
    },
  );

  test("a body without a content type is accepted", async () => {
    // Bytes: fetch would declare a type for a string.
    expect(await post("/schema", bytes('{"id":"%1"}'))).toEqual({ id: "%1", count: 1 });
    expect(await post("/own", bytes("7"))).toEqual({ got: 7 });
  });

  test.each(["text/plain", "application/x-www-form-urlencoded", "application/jsonp", ""])(
    'a body of another type is refused: "%s"',
    async (type) => {
      for (const path of ["/schema", "/own"])
        expect(await post(path, '{"id":"%1"}', type)).toMatchObject({ kind: "unsupported_media" });
    },
  );

  test("a body that is not JSON, not UTF-8 or absent is malformed", async () => {
    const notJson = {
      kind: "malformed",
      detail: [{ loc: ["body"], msg: expect.any(String), type: "json_invalid" }],
    };
    for (const body of ["{", "", '{"id":"%1"} x', "[".repeat(500_000)])
      for (const path of ["/schema", "/own"])
        expect(await post(path, body, "application/json")).toEqual(notJson);
    expect(await post("/schema", new Uint8Array([0x22, 0xff, 0x22]))).toEqual(notJson);
    expect(await post("/schema", null)).toEqual(notJson);
  });

  test("a body that does not fit its schema is malformed, with the place of each error", async () => {
    expect(await post("/schema", '{"id":1,"count":"2"}', "application/json")).toEqual({
      kind: "malformed",
      detail: [
        { loc: ["body", "id"], msg: expect.any(String), type: "invalid_type" },
        { loc: ["body", "count"], msg: expect.any(String), type: "invalid_type" },
      ],
    });
    expect(await post("/list", '[{"id":"%1"},{}]', "application/json")).toMatchObject({
      detail: [{ loc: ["body", 1, "id"] }],
    });
    expect(await post("/schema", "null", "application/json")).toMatchObject({
      detail: [{ loc: ["body"] }],
    });
  });

  test("a body may have 1 MiB and no byte more, declared or chunked", async () => {
    const ofSize = (size: number) => bytes(JSON.stringify("x".repeat(size - 2)));
    const chunked = (body: Uint8Array) =>
      new ReadableStream({
        start(controller) {
          for (let at = 0; at < body.length; at += 65_536)
            controller.enqueue(body.subarray(at, at + 65_536));
          controller.close();
        },
      });
    for (const shape of [(body: Uint8Array<ArrayBuffer>) => body, chunked]) {
      expect(await post("/own", shape(ofSize(MAX_JSON_BYTES)))).toHaveProperty("got");
      expect(await post("/own", shape(ofSize(MAX_JSON_BYTES + 1)))).toEqual({
        kind: "too_large",
        detail: "the body exceeds the 1 MiB limit",
      });
    }
  });

  test("a body without end is refused before 2 MiB are read", async () => {
    let produced = 0;
    const endless = new ReadableStream({
      pull(controller) {
        produced += 65_536;
        controller.enqueue(new Uint8Array(65_536).fill(0x20));
      },
    });
    const reply = await app.request("/own", { method: "POST", body: endless });
    expect(await reply.json()).toMatchObject({ kind: "too_large" });
    expect(produced).toBeLessThan(2 * MAX_JSON_BYTES);
  });

  test.each(["/schema", "/own"])(
    "a body that breaks off is refused as invalid: %s",
    async (path) => {
      const body = new ReadableStream({
        start(controller) {
          controller.enqueue(bytes('{"id":'));
          controller.error(new DOMException("The connection was closed.", "AbortError"));
        },
      });
      const reply = await app.request(path, { method: "POST", body });
      expect(await reply.json()).toEqual({ kind: "invalid", detail: "the body ended too early" });
    },
  );
});

test("the log of a malformed body has no word of it", async () => {
  const lines: string[] = [];
  const log = createLog((line) => void lines.push(line));
  const logging = new Hono()
    .post("/schema", valid("json", Body))
    .post("/own", valid("json", z.unknown()));
  logging.onError((error, c) => errorReply(error, requestName("POST", c.req.path, "peer"), log));
  for (const path of ["/schema", "/own"])
    for (const body of ['{"id":"%0","text":hunter2secret}', '"hunter2secret', "hunter2secret"]) {
      const reply = await logging.request(path, { method: "POST", body: bytes(body) });
      expect([reply.status, await reply.text()]).toEqual([
        422,
        expect.not.stringMatching("hunter2"),
      ]);
    }
  expect(lines).toHaveLength(6);
  expect(lines.join("")).not.toContain("hunter2");
});

test("a body is parsed once", async () => {
  const { parse } = JSON;
  let parsed = 0;
  JSON.parse = (text, reviver) => {
    parsed++;
    return parse(text, reviver);
  };
  try {
    const body = bytes('{"id":"%1"}');
    for (const path of ["/schema", "/own"]) await app.request(path, { method: "POST", body });
  } finally {
    JSON.parse = parse;
  }
  expect(parsed).toBe(2);
});

test("a query is checked by its schema", async () => {
  expect(await (await app.request("/query?days=3")).json()).toEqual({ days: 3 });
  expect(await (await app.request("/query?days=x")).json()).toMatchObject({
    kind: "malformed",
    detail: [{ loc: ["query", "days"] }],
  });
});
