import type { BindingCandidate } from "../../../src/protocol/agents.ts";
import { Review } from "../../../src/protocol/review.ts";
import { Api } from "../../../web/net/api.ts";
import { Panes } from "../../../web/state/server/panes.ts";
import { Workspace } from "../../../web/state/server/agents/workspace.ts";
import { NOW } from "../../review/works.ts";
import { fixture } from "../../support/fixture.ts";
import { outboxOf } from "../../support/outbox.ts";
import { MemoryStorage } from "../../support/memory-storage.ts";

export class FakeSocket {
  onmessage: ((event: { data: string }) => void) | null = null;
  onclose: ((event: { code: number }) => void) | null = null;
  isClosed = false;

  constructor(readonly url: string) {}

  close(): void {
    this.isClosed = true;
  }

  say(frame: unknown): void {
    this.onmessage?.({ data: JSON.stringify(frame) });
  }
}

export interface Call {
  readonly method: string;
  readonly path: string;
  readonly body: unknown;
}

export const candidateOf = (pane_id: string, confidence = 0.3): BindingCandidate => ({
  id: `candidate ${pane_id}`,
  pane_id,
  target: `work:${pane_id}`,
  pane_target: `work:${pane_id}`,
  label: `pane ${pane_id}`,
  confidence,
  reasons: ["The same program in the same folder."],
});

/** What a server says that has nothing to look at. */
export const EMPTY_REVIEW = fixture(Review, {
  generated_at: NOW,
  settings: {
    urgent_bypass: { high_critical_decisions: true },
    ...{ min_interval_minutes: 5, max_interval_minutes: 1440, presets: [30, 60] },
  },
});

/** What a test's server answers: a status and a body, or "lost". */
export type Answer = { readonly status?: number; readonly body: unknown } | "lost";

/** The workspace of a page over a socket and a server that the test plays. */
export function stage(
  answer: (call: Call) => Answer | Promise<Answer>,
  { storage = new MemoryStorage(), nowMs = () => Date.now() } = {},
) {
  const calls: Call[] = [];
  const sockets: FakeSocket[] = [];
  const ended = { count: 0 };
  const panes = new Panes({ nowMs: () => Date.now(), nextFrame: (run) => run() });
  const api = new Api({
    fetch: async (path, init) => {
      const body: unknown = init.body === undefined ? null : JSON.parse(String(init.body));
      const call = { method: init.method ?? "GET", path, body };
      calls.push(call);
      const reply = await answer(call);
      if (reply === "lost") throw new TypeError("lost");
      return Response.json(reply.body, { status: reply.status ?? 200 });
    },
    token: () => "t k",
    sid: () => null,
    onServerTime: () => {},
    onUnauthorized: () => {},
  });
  const workspace = new Workspace({
    api,
    outbox: outboxOf({ storage }),
    isRead: () => false,
    token: () => "t k",
    open: (url) => {
      const socket = new FakeSocket(url);
      sockets.push(socket);
      return socket as unknown as WebSocket; // The feed uses no more of it.
    },
    origin: "ws://test",
    nowMs,
    onEnded: () => void (ended.count += 1),
  });
  return {
    api,
    workspace,
    calls,
    sockets,
    ended,
    storage,
    panes,
  };
}
