import { describe, expect, test } from "bun:test";
import { Explanation } from "../../src/protocol/explain.ts";
import { StateFrame } from "../../src/protocol/frames.ts";
import { StateEncoder } from "../../src/terminal/encode.ts";
import { explain } from "../../src/terminal/explain.ts";
import type { PaneReading } from "../../src/terminal/reading.ts";
import { finding, prompt } from "../support/detect-input.ts";
import { pane } from "../support/pane.ts";
import { LISTED } from "../support/fake-hub.ts";
import { service } from "../support/service.ts";

const post = (body: unknown) => ({ method: "POST", body: JSON.stringify(body) });

describe("GET /api/state", () => {
  test("answers with the newest snapshot", async () => {
    const { request, hub } = service();
    expect(await (await request("/api/state")).json()).toEqual({ type: "state", panes: [] });
    const panes = [pane({ lines: ['"quoted" \u2028 \ud83d\ude00'] }), pane({ id: "%2" })];
    hub.publish(panes);
    const body = await (await request("/api/state")).json();
    expect(body).toEqual({ type: "state", panes });
    StateFrame.parse(body);
  });

  test("is compressed for a client that accepts gzip", async () => {
    const { request, hub } = service();
    const panes = [pane({ lines: Array.from({ length: 100 }, () => "the same line") })];
    hub.publish(panes);
    const get = (coding: string) =>
      request("/api/state", { headers: { "accept-encoding": coding } });
    const packed = await get("gzip, deflate, br");
    expect(packed.headers.get("content-encoding")).toBe("gzip");
    expect(packed.headers.get("vary")).toBe("accept-encoding");
    const bytes = await packed.bytes();
    expect(JSON.parse(new TextDecoder().decode(Bun.gunzipSync(bytes)))).toEqual({
      type: "state",
      panes,
    });
    const plain = await get("gzip;q=0");
    expect(plain.headers.has("content-encoding")).toBe(false);
    expect(plain.headers.get("vary")).toBe("accept-encoding");
    expect(bytes.length).toBeLessThan((await plain.bytes()).length / 2);
    hub.publish([]);
    expect((await get("gzip")).headers.has("content-encoding")).toBe(false);
  });

  test("encodes a snapshot once, and a pane that does not change once", () => {
    const encoder = new StateEncoder();
    let encoded = 0;
    const counted = Object.assign(pane(), { toJSON: () => ({ encoded: ++encoded }) });
    const panes = [counted];
    expect(encoder.encode({ panes })).toBe('{"type":"state","panes":[{"encoded":1}]}');
    encoder.encode({ panes });
    encoder.encode({ panes: [counted, pane()] });
    expect(encoded).toBe(1);
  });
});

describe("POST /api/star", () => {
  test("stars a target, and refuses a request without the member starred", async () => {
    const starred: unknown[] = [];
    const star = async (...args: unknown[]) => void starred.push(args);
    const { request } = service({ terminal: { star } });
    const reply = await request("/api/star", post({ target: "a:1.1", starred: true }));
    expect([reply.status, await reply.json()]).toEqual([200, { ok: true }]);
    expect(starred).toEqual([["a:1.1", true]]);
    expect((await request("/api/star", post({ target: "a:1.1" }))).status).toBe(422);
  });
});

const found = finding({
  ...{ kind: "agent_a", kindRule: "agent_a.process", kindEvidence: "claude" },
  ...{ status: "needs_input", rule: "agent_a.permission.footer", line: 1 },
  region: { rule: "agent_a.region", start: 1, end: 3 },
  ruledOut: [
    { rule: "agent_a.working", matched: false, line: null, line_index: null, note: "no spinner" },
  ],
});
const lines = ["old", "Do you want to?", "1. Yes"];
const reading: PaneReading = {
  ...{ pane: LISTED, isUnsettled: false, lineAge: 7, composer: null },
  state: pane({
    ...{ kind: "agent_a", status: "needs_input", reason: "agent_a.permission.footer" },
    lines: lines.slice(1),
  }),
  screen: { lines: lines.map((text) => ({ text, runs: [] })) },
  finding: found,
  prompt: prompt("Do you want to?", {
    ...{ parser: "agent_a.permission", recognised: true, questionLine: 1 },
  }),
};

describe("POST /api/explain", () => {
  test("tells which rules decided, on which line, and how old that line is", async () => {
    const sessions = [{ agent_id: "a", association: "probable", reasons: ["The same folder."] }];
    const sessionsIn = (id: string) => (id === "%1" ? sessions : []);
    const parts = service({ terminal: { read: async () => reading, sessionsIn } });
    parts.hub.publish([pane({ lines })]);
    const reply = await parts.request("/api/explain", post({ id: "%1" }));
    const body = await reply.json();
    expect(body).toEqual({
      id: "%1",
      kind: { value: "agent_a", rule: "agent_a.process", evidence: "claude" },
      status: {
        ...{ value: "needs_input", rule: "agent_a.permission.footer" },
        ...{ line: "Do you want to?", line_index: 0, line_age: 7 },
      },
      live_region: { rule: "agent_a.region", start: 0, end: 2, lines: lines.slice(1) },
      prompt: {
        ...{ parser: "agent_a.permission", recognised: true },
        ...{ question: "Do you want to?", options: 0 },
      },
      ruled_out: found.ruledOut,
      sessions,
    });
    Explanation.parse(body);
  });

  test("names no line where the published status is held from before", () => {
    const held = { ...reading, state: pane({ status: "working", reason: "generic.changing" }) };
    expect(explain(held).status).toEqual({
      ...{ value: "working", rule: "generic.changing" },
      ...{ line: null, line_index: null, line_age: null },
    });
  });

  test("finds a pane by its target, and answers 503 when the multiplexer fails", async () => {
    const asked: string[] = [];
    const read = async (id: string) => {
      asked.push(id);
      if (asked.length > 1) throw new Error("no answer");
      return reading;
    };
    const { request, hub } = service({ terminal: { read } });
    hub.publish([pane()]);
    expect((await request("/api/explain", post({ id: "work:1.1" }))).status).toBe(200);
    const failed = await request("/api/explain", post({ id: "%1" }));
    expect([failed.status, await failed.json()]).toEqual([
      503,
      { detail: "the multiplexer does not answer" },
    ]);
    expect(asked).toEqual(["%1", "%1"]);
  });

  test("answers 404 for a pane that is not there", async () => {
    const reply = await service().request("/api/explain", post({ id: "%9" }));
    expect(reply.status).toBe(404);
    expect(await reply.json()).toEqual({
      detail: { reason: "unknown_pane", code: "unknown_pane" },
    });
  });
});
