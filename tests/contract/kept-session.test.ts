import { afterAll, expect, test } from "bun:test";
import { mkdir } from "node:fs/promises";
import { z } from "zod";
import { ConfigReply } from "../../src/protocol/config.ts";
import { StateFrame } from "../../src/protocol/frames.ts";
import type { PaneState } from "../../src/protocol/pane.ts";
import { connect } from "../support/client.ts";
import { startLiveService } from "../support/live-service.ts";
import { cardOf, send } from "../support/live-workspace.ts";
import { RecordedStage } from "../support/recorded-stage.ts";
import { until } from "../support/until.ts";

/** Members by name, one element for all of a list, or the types of a value. */
type Shape = string | readonly Shape[] | { readonly [name: string]: Shape };
const Shape: z.ZodType<Shape> = z.lazy(() =>
  z.union([z.string(), z.array(Shape), z.record(z.string(), Shape)]),
);
const Session = z.object({
  version: z.string(),
  requests: z.array(
    z.object({ method: z.string(), path: z.string(), body: z.unknown().optional(), reply: Shape }),
  ),
  sockets: z.record(z.string(), z.record(z.string(), Shape)),
});

/** The requests of an earlier release's page, with the members of each reply. */
const RECORDED = Session.parse(
  await Bun.file(new URL("../fixtures/sessions/page.json", import.meta.url)).json(),
);

const stage = await RecordedStage.open();
await mkdir(stage.folderOf("storage"), { recursive: true });
const service = await startLiveService({
  tmux: stage.tmux,
  flags: {
    ...stage.homes,
    "creation.roots": [{ label: "Work", path: stage.folderOf("storage") }],
    poll_interval: 0.2,
    naming_mode: "window",
  },
});
await send(service.url, "PATCH", "/api/config", { experimental_agent_workspace_enabled: true });
await stage.enter({
  ...{ name: "storage", runtime: "agent-a", recording: "question-single", at: "question" },
  keys: { question: { "2": "answered" }, answered: { Enter: "answered" } },
});
const pane = stage.paneOf("storage");
const { agent_id } = await cardOf(service.url, {
  pane,
  isSo: (card) => card.decisions.length > 0,
});
const guard = (await paneNow()).legacy_guard;
const config = await (await fetch(`${service.url}/api/config`)).json();
/** Values of this run for the placeholders in recorded requests. */
const names: Readonly<Record<string, string>> = {
  run: ConfigReply.parse(config)._info.capabilities.legacy_once_v1?.incarnation ?? "",
  ...{ pane, agent: agent_id, folder: stage.folderOf("storage"), page: service.url, option: "2" },
  prompt: guard?.prompt_fingerprint ?? "",
  options: guard?.options_fingerprint ?? "",
  selected: guard?.selected ?? "",
};
afterAll(async () => {
  await service.stop();
  await stage.close();
});

async function paneNow(): Promise<PaneState> {
  const { panes } = StateFrame.parse(await (await fetch(`${service.url}/api/state`)).json());
  const pane = panes.find(({ id }) => id === stage.paneOf("storage"));
  if (pane === undefined) throw new Error("the pane of the agent is gone");
  return pane;
}

const filled = (text: string, write: (value: string) => string): string =>
  text.replaceAll(/\{(\w+)\}/g, (all, name: string) => {
    const value = names[name];
    return value === undefined ? all : write(value);
  });

for (const { method, path, body, reply } of RECORDED.requests)
  test(`the page of an earlier release can read the reply to ${method} ${path}`, async () => {
    // The recorded text was typed after the prompt was answered.
    if (path === "/api/text")
      await until(async () => (await paneNow()).legacy_guard?.prompt_fingerprint === null);
    const init = body === undefined ? {} : { body: filled(JSON.stringify(body), (value) => value) };
    const response = await fetch(service.url + filled(path, encodeURIComponent), {
      ...{ method, headers: { "content-type": "application/json" } },
      ...init,
    });
    expect(response.status).toBe(200);
    expect(lacks(reply, await response.json())).toEqual([]);
  });

for (const [path, frames] of Object.entries(RECORDED.sockets))
  test(`the page of an earlier release can read the frames of ${path}`, async () => {
    const client = connect(Number(new URL(service.url).port), path);
    const first = await client.take(1);
    const { hello = {}, state } = frames;
    expect(lacks(hello, first[0])).toEqual([]);
    if (state !== undefined) expect(lacks(state, (await client.take(2))[1])).toEqual([]);
    client.close();
  });

/** Paths at which a value differs from a shape; null fits every shape. */
function lacks(shape: Shape, value: unknown, at = "reply"): string[] {
  if (value === null) return [];
  if (typeof shape === "string") {
    const isKnown = shape === "null" || shape.split("|").includes(typeof value);
    return isKnown ? [] : [`${at} is ${typeof value}, not ${shape}`];
  }
  if (Array.isArray(shape)) {
    if (!Array.isArray(value)) return [`${at} is no list`];
    const [each] = shape;
    return each === undefined
      ? []
      : value.flatMap((one, index) => lacks(each, one, `${at}[${index}]`));
  }
  if (typeof value !== "object") return [`${at} is no object`];
  const members = new Map(Object.entries(value ?? {}));
  return Object.entries(shape).flatMap(([name, inner]) =>
    members.has(name)
      ? lacks(inner, members.get(name), `${at}.${name}`)
      : [`${at}.${name} is gone`],
  );
}
