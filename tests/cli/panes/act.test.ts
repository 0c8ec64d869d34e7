import { afterAll, expect, spyOn, test } from "bun:test";
import { join } from "node:path";
import { lockStateDir, writeHolder } from "../../../src/cli/state-lock.ts";
import { sendText } from "../../../src/cli/panes/act.ts";
import { createLog } from "../../../src/lib/log.ts";
import { pane } from "../../support/pane.ts";
import { temporary } from "../../support/temporary.ts";

const log = createLog(() => {});
const [SENT, NOT_SENT, UNKNOWN] = [0, 1, 3];

const folder = await temporary("act", afterAll);
const lock = await lockStateDir(folder, { log });
afterAll(() => lock?.release());

/** The exit code of `send` with a service that lists its panes and then handles the text by `then`. */
async function codeWhere(
  then: (stop: () => Promise<void>) => Promise<Response>,
  { isGoneThen = false } = {},
): Promise<number> {
  const state = () => Response.json({ type: "state", panes: [pane({ target: "work:1.0" })] });
  const server: Bun.Server<undefined> = Bun.serve({
    hostname: "127.0.0.1",
    port: 0,
    fetch({ method }): Response | Promise<Response> {
      if (method !== "GET") return then(() => server.stop(true));
      // It ends after this reply.
      if (isGoneThen) void server.stop();
      return state();
    },
  });
  const address = { host: "127.0.0.1", port: server.port ?? 0 };
  await writeHolder(lock, { address, secret: "s" }, log);
  using _ = spyOn(process.stderr, "write").mockReturnValue(true);
  try {
    return await sendText({ config: join(folder, "panewatch.yaml"), _: ["work:1.0", "words"] });
  } finally {
    await server.stop(true);
  }
}

const reply = (status: number, detail: unknown) =>
  Promise.resolve(Response.json({ detail }, { status }));

test("send ends with 0 after an accepted text", async () => {
  expect(await codeWhere(() => Promise.resolve(Response.json({ ok: true })))).toBe(SENT);
});

test("send ends with 1 after a refusal, and with 3 if the delivery is unknown", async () => {
  expect(await codeWhere(() => reply(409, { reason: "prompt_changed" }))).toBe(NOT_SENT);
  expect(await codeWhere(() => reply(409, { reason: "delivery_unknown" }))).toBe(UNKNOWN);
  expect(await codeWhere(() => reply(500, "internal error"))).toBe(UNKNOWN);
});

test("send ends with 3 if the service ends during the request", async () => {
  const code = await codeWhere(async (stop) => {
    await stop();
    return Response.json({});
  });
  expect(code).toBe(UNKNOWN);
});

test("send ends with 1 if the service ended before the request", async () => {
  const never = () => Promise.reject(new Error("a connection was accepted"));
  expect(await codeWhere(never, { isGoneThen: true })).toBe(NOT_SENT);
});

test("send ends with 1 if the service refuses its token", async () => {
  expect(await codeWhere(() => reply(401, "bad or missing token"))).toBe(NOT_SENT);
});
