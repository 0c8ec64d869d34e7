import { signal } from "@preact/signals";
import { jest } from "bun:test";
import { Api } from "../../web/net/api.ts";
import { BrowserStorage } from "../../web/state/browser/storage.ts";
import { Acts } from "../../web/state/server/acts.ts";
import { Answers } from "../../web/state/server/answers.ts";
import { Drafts } from "../../web/state/server/drafts.ts";
import { Outbox, type ActFate } from "../../web/state/server/outbox.ts";
import { Panes } from "../../web/state/server/panes.ts";
import { QueueStore } from "../../web/state/server/queue.ts";
import type { Server } from "../../web/state/server/server.ts";
import type { SeenFates } from "../../src/protocol/tolerant-later.ts";
import { MemoryStorage } from "./memory-storage.ts";

export interface Call {
  readonly method: string;
  readonly path: string;
  readonly body: unknown;
}

/** What a test's server answers: a status and a body, or "lost". */
export type Answer = { readonly status?: number; readonly body: unknown } | "lost";

/** The calls of a page to a server that a test plays; `members` are the test's own. */
export const apiOf = (
  answer: (call: Call) => Answer | Promise<Answer>,
  members: Partial<ConstructorParameters<typeof Api>[0]> = {},
): Api =>
  new Api({
    fetch: async (path, init) => {
      const body: unknown = init.body === undefined ? null : JSON.parse(String(init.body));
      const reply = await answer({ method: init.method ?? "GET", path, body });
      if (reply === "lost") throw new TypeError("lost");
      return Response.json(reply.body, { status: reply.status ?? 200 });
    },
    token: () => "",
    sid: () => null,
    signedOut: new AbortController().signal,
    onServerTime: () => {},
    onUnauthorized: () => {},
    onForbidden: () => {},
    ...members,
  });

/** What the record of a server says of keys; `unseen` never arrived, at any pane. */
export interface Recorded {
  readonly key: string;
  readonly paneId: string;
  readonly state: ActFate["state"];
}

export const recordOf = (told: readonly Recorded[]): SeenFates => ({
  acts: told.flatMap(({ key, paneId: pane_id, state }) => {
    if (state === "unseen") return [];
    const by = { grant: "here", name: "Firefox" };
    const about = { target: "work:1.1", kind: "select", label: "Yes", about: null } as const;
    return { key, pane_id, state, reason: null, by, at: 1000, seq: 1, ...about };
  }),
  unseen: told.flatMap(({ key, state }) => (state === "unseen" ? key : [])),
});

type Members = { readonly [Name in keyof Server]?: unknown } & {
  readonly memory?: Storage;
};

/**
 * A server whose panes, drafts, queue, acts and outbox are real; of the rest a test plays what its
 * subject asks for.
 */
export function serverOf({ memory = new MemoryStorage(), ...members }: Members = {}): Server {
  let keys = 0;
  const server = {
    api: apiOf(() => "lost"),
    canAnswer: signal(true),
    may: () => true,
    sid: signal<string | null>("one"),
    signedOut: new AbortController().signal,
    storage: new BrowserStorage(() => memory),
    link: { refresh: async () => true },
    config: { has: () => true, current: signal(null), load: async () => "ok" },
    workspace: { current: null },
    origin: "http://test",
    token: { get: () => "" },
    nowMs: () => Date.now(),
    incarnation: () => null,
    instance: () => "here",
    isGone: () => false,
    recordOf: async () => null,
    browser: {
      uuid: () => `key-${++keys}`,
      clock: { now: signal(1000) },
      install: { answered: () => {} },
      layout: { columns: signal(1) },
      touch: { shield: () => {}, untouchedMs: () => Infinity },
    },
  };
  const made = Object.assign(server, members) as unknown as Server; // The subject asks for no more.
  const own = <Name extends keyof Server>(name: Name, make: () => Server[Name]) => {
    if (!(name in members)) Object.assign(made, { [name]: make() });
  };
  own("panes", () => new Panes(made));
  own("outbox", () => new Outbox(made));
  own("drafts", () => new Drafts(made));
  own("acts", () => new Acts(made));
  own("answers", () => new Answers(made));
  own("queue", () => new QueueStore(made));
  return made;
}

/** A socket that says what the test says. */
export class FakeSocket {
  readyState = 1;
  onopen: (() => void) | null = null;
  onmessage: ((event: { data: string }) => void) | null = null;
  onclose: ((event: { code: number; reason: string }) => void) | null = null;
  isClosed = false;
  readonly sent: string[] = [];

  constructor(readonly url = "") {}

  send(text: string): void {
    this.sent.push(text);
  }

  close(): void {
    this.isClosed = true;
  }

  say(frame: unknown): void {
    this.onmessage?.({ data: JSON.stringify(frame) });
  }
}

/** Lets fake time pass in steps; what is due in each runs to its end. */
export async function elapse(ms = 0, stepMs = 100): Promise<void> {
  for (let passed = 0; passed <= ms; passed += stepMs) {
    if (passed > 0) jest.advanceTimersByTime(stepMs);
    for (let turn = 0; turn < 40; turn++) await Promise.resolve();
  }
}
