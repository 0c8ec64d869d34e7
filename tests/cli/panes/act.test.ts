import { afterAll, expect, spyOn, test } from "bun:test";
import { join } from "node:path";
import { StateLock } from "../../../src/store/state-lock.ts";
import { answer, sendText } from "../../../src/cli/panes/act.ts";
import { promptCode } from "../../../src/cli/panes/service-panes.ts";
import { createLog } from "../../../src/lib/log.ts";
import { MenuOption, type PaneState } from "../../../src/protocol/pane.ts";
import { fixture } from "../../support/fixture.ts";
import { pane } from "../../support/pane.ts";
import { temporary } from "../../support/temporary.ts";

const [SENT, NOT_SENT, UNKNOWN] = [0, 1, 3];

const folder = await temporary("act", afterAll);
const lock = await StateLock.take(folder, { log: createLog(() => {}) });
afterAll(() => lock.release());

const config = join(folder, "panewatch.yaml");
type Handler = (stop: () => Promise<void>, request: Request) => Promise<Response>;

/** The exit code of a command with a service that lists this pane and then handles what it sends. */
async function codeOf(
  run: () => Promise<number>,
  then: Handler,
  { listed = pane({ target: "work:1.0" }), isGoneThen = false } = {},
): Promise<number> {
  const server: Bun.Server<undefined> = Bun.serve({
    hostname: "127.0.0.1",
    port: 0,
    fetch(request): Response | Promise<Response> {
      if (request.method !== "GET") return then(() => server.stop(true), request);
      // The server ends after this reply.
      if (isGoneThen) void server.stop();
      return Response.json({ type: "state", panes: [listed] });
    },
  });
  const address = { host: "127.0.0.1", port: server.port ?? 0 };
  await lock.tell(address, "s");
  using _ = spyOn(process.stderr, "write").mockReturnValue(true);
  try {
    return await run();
  } finally {
    await server.stop(true);
  }
}

const codeWhere = (then: Handler, options = {}): Promise<number> =>
  codeOf(() => sendText({ config, _: ["work:1.0", "words"] }), then, options);

const reply = (status: number, detail: unknown) =>
  Promise.resolve(Response.json({ detail }, { status }));

test.each<[string, number, Handler]>([
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
  expect(await codeWhere(never, { isGoneThen: true })).toBe(NOT_SENT);
});

const never: Handler = () => Promise.reject(new Error("something was sent"));

/** A pane that asks with these options; a key with a + takes a text. */
function asking(...keys: string[]): PaneState {
  const menu = keys.map((key) =>
    fixture(MenuOption, { key: key.replace("+", ""), freeform: key.endsWith("+") }),
  );
  return pane({ target: "work:1.0", status: "needs_input", menu });
}

async function answerTo(
  listed: PaneState,
  typed: { option?: string; text?: string },
  then = never,
): Promise<number> {
  const place = `work:1.0@${promptCode(listed) ?? ""}`;
  const given = { option: typed.option, text: typed.text };
  return codeOf(() => answer({ config, "pane@code": place, ...given }), then, { listed });
}

test.each<[PaneState, { option?: string; text?: string }, string]>([
  [asking("1", "2"), {}, "answer needs an option: 1, 2"],
  [asking(), {}, "answer needs an option: none can be chosen from here"],
  [asking("1", "2"), { option: "7" }, "work:1.0 has no option 7; there are: 1, 2"],
  [asking("1", "2+"), { option: "1", text: "so" }, "option 1 of work:1.0 takes no text"],
  [asking("1+", "2+"), { text: "so" }, "say which option the text is for: 1, 2"],
  [asking("1", "2"), { text: "so" }, "say which option the text is for: 1, 2"],
])("answer sends nothing without one option that is meant: %#", async (listed, typed, why) => {
  await expect(answerTo(listed, typed)).rejects.toThrow(why);
});

test("answer sends a text to the only option that takes one", async () => {
  const bodies: unknown[] = [];
  const then: Handler = async (_, request) => {
    bodies.push(await request.json());
    return Response.json({ ok: true });
  };
  expect(await answerTo(asking("1", "2+"), { text: "so" }, then)).toBe(SENT);
  expect(bodies).toMatchObject([{ key: "2", text: "so" }]);
});
