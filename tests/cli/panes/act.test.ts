import { afterAll, expect, spyOn, test } from "bun:test";
import { join } from "node:path";
import { StateLock } from "../../../src/store/state-lock.ts";
import { sendText } from "../../../src/cli/panes/act.ts";
import { createLog } from "../../../src/lib/log.ts";
import { pane } from "../../support/pane.ts";
import { temporary } from "../../support/temporary.ts";

const [SENT, NOT_SENT, UNKNOWN] = [0, 1, 3];

const folder = await temporary("act", afterAll);
const lock = await StateLock.take(folder, { log: createLog(() => {}) });
afterAll(() => lock.release());

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
      // The server ends after this reply.
      if (isGoneThen) void server.stop();
      return state();
    },
  });
  const address = { host: "127.0.0.1", port: server.port ?? 0 };
  await lock.tell(address, "s");
  using _ = spyOn(process.stderr, "write").mockReturnValue(true);
  try {
    return await sendText({ config: join(folder, "panewatch.yaml"), _: ["work:1.0", "words"] });
  } finally {
    await server.stop(true);
  }
}

const reply = (status: number, detail: unknown) =>
  Promise.resolve(Response.json({ detail }, { status }));

test.each<[string, number, Parameters<typeof codeWhere>[0]]>([
  ["the text was accepted", SENT, () => Promise.resolve(Response.json({ ok: true }))],
  ["the text was refused", NOT_SENT, () => reply(409, { reason: "prompt_changed" })],
  ["the token was refused", NOT_SENT, () => reply(401, "bad or missing token")],
  ["the service stops", NOT_SENT, () => reply(503, { reason: "stopping" })],
  ["the delivery is unknown", UNKNOWN, () => reply(503, { code: "delivery_unknown" })],
  [
    "the delivery is unknown under a guard",
    UNKNOWN,
    () => reply(409, { reason: "delivery_unknown" }),
  ],
  ["the service had an error", UNKNOWN, () => reply(500, "internal error")],
  ["the service ended during the request", UNKNOWN, (stop) => stop().then(() => Response.json({}))],
])("when %s, send ends with %i", async (_, code, then) => {
  expect(await codeWhere(then)).toBe(code);
});

test("when the service ended before the request, send ends with 1", async () => {
  const never = () => Promise.reject(new Error("a connection was accepted"));
  expect(await codeWhere(never, { isGoneThen: true })).toBe(NOT_SENT);
});
