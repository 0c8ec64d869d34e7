// Messages that wait for real agent programs, and Stop; what counts is what each tells its model.
import { expect, test } from "bun:test";
import { QueueReply, QueueState } from "../../src/protocol/queue.ts";
import { until } from "../support/until.ts";
import { labOfFile } from "./lab.ts";
import type { Panewatch } from "./panewatch.ts";

const DEADLINE_MS = 30_000;
/** How long nothing may leave while it works. */
const QUIET_MS = 4000;
/** A message of a person, as both programs show it. */
const SENT = /^[❯›] and then list the files$/;
const AGENTS = ["claude", "codex"] as const;

const stage = labOfFile();
let keys = 0;

async function workingIn(state: string, name: (typeof AGENTS)[number]) {
  const { agent, service } = await stage.start({ agent: name, state });
  await service.see(agent.pane, "work", ({ status }) => status === "working");
  return { agent, service };
}

const change = async (to: Panewatch, body: object) => {
  const idempotency_key = `live-${process.pid}-${++keys}`;
  const reply = await to.call("POST", "/api/queue", { idempotency_key, ...body });
  expect(reply.status, JSON.stringify(reply.body)).toBe(200);
  return QueueReply.parse(reply.body).list;
};

const listsOf = async (from: Panewatch) =>
  QueueState.parse((await from.call("GET", "/api/queue")).body).lists;

test.each(AGENTS)(
  "a message waits while a tool of %s runs, and leaves once after Stop",
  async (name) => {
    const { agent: live, service: on } = await workingIn("working-bash", name);
    await change(on, { operation: "add", id: live.pane, text: "and then list the files" });
    const before = await live.modelTexts();
    await Bun.sleep(QUIET_MS);
    expect(await live.modelTexts()).toEqual(before);
    expect((await listsOf(on))[0]?.messages).toHaveLength(1);
    const stop = { id: live.pane, idempotency_key: `stop-${++keys}` };
    const reply = await on.call("POST", "/api/stop", stop);
    expect(reply.status, JSON.stringify(reply.body)).toBe(200);
    await on.see(live.pane, "stand still", ({ status }) => status !== "working");
    // A model is told a message and the end of the tool at once; a person reads it on the screen.
    const shown = async () =>
      (await on.pane(live.pane))?.lines.filter((line) => SENT.test(line)).length ?? 0;
    await live.newModelTexts(before.length);
    await until(async () => (await shown()) > 0, DEADLINE_MS);
    await until(async () => (await listsOf(on)).length === 0, DEADLINE_MS);
    await Bun.sleep(QUIET_MS);
    expect(await shown()).toBe(1);
  },
);

test.each(AGENTS)("Send now types it while %s works, and its program keeps it", async (name) => {
  const { agent: live, service: on } = await workingIn("working-bash", name);
  const list = await change(on, {
    operation: "add",
    id: live.pane,
    text: "and then list the files",
  });
  const [message] = list?.messages ?? [];
  expect(await change(on, { operation: "send", message_id: message?.id })).toBeNull();
  await on.see(live.pane, "show it", ({ lines }) =>
    lines.some((line) => line.includes("and then list the files")),
  );
});

test.each(AGENTS)("Stop ends the answer that %s is streaming", async (name) => {
  const { agent: live, service: on } = await workingIn("working-streaming", name);
  const stop = { id: live.pane, idempotency_key: `stop-${++keys}` };
  expect((await on.call("POST", "/api/stop", stop)).status).toBe(200);
  await on.see(live.pane, "stand still", ({ status }) => status === "idle");
  const again = { id: live.pane, idempotency_key: `stop-${++keys}` };
  const refused = await on.call("POST", "/api/stop", again);
  expect(refused).toMatchObject({ status: 409, body: { detail: { code: "not_working" } } });
});
