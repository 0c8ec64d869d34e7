import { on } from "node:events";
import type { Flags } from "../../config/resolve.ts";
import { StartupError } from "../../errors.ts";
import { sha256 } from "../../lib/digest.ts";
import { parseJson } from "../../lib/json.ts";
import { ConfigReply } from "../../protocol/config.ts";
import { applyDelta, type Scene } from "../../protocol/delta.ts";
import { DeltaFrame, StateFrame } from "../../protocol/frames.ts";
import type { HostState } from "../../protocol/hosts.ts";
import type { PaneState } from "../../protocol/pane.ts";
import { askFor, serviceOf } from "../ask-service.ts";

const CODE_LENGTH = 6;
const RETRY_MS = 250;
/** After a silence of this length the service is connected again. */
const SILENCE_MS = 60_000;

/** With `?cards=1` also the cards, in the order of the queue. @throws StartupError */
export function readStateFrame(flags: Flags, query = "") {
  return askFor(flags, { method: "GET", path: `/api/state${query}` }, StateFrame);
}

/** @throws StartupError */
export async function readPanes(flags: Flags): Promise<readonly PaneState[]> {
  return (await readStateFrame(flags)).panes;
}

/**
 * All panes after each change. A service that goes away is looked for again; panes of a machine that
 * a restarted service has not read yet are as they were.
 * @throws StartupError where at the start no service answers, or it refuses
 */
export async function* followPanes(flags: Flags): AsyncGenerator<readonly PaneState[], never> {
  await readPanes(flags);
  let known: readonly PaneState[] = [];
  while (true) {
    const service = await serviceOf(flags);
    if (service !== null)
      for await (const { panes, hosts } of untilClosed(service)) {
        const isLost = known.some(isLocal) && !panes.some(isLocal) && !(await hasRead(flags));
        const isUnread = ({ host }: PaneState) =>
          host
            ? hosts?.some(({ name, watch, read_at }) => name === host && watch && read_at === 0)
            : isLost;
        yield (known = [...panes, ...known.filter(isUnread)]);
      }
    await Bun.sleep(RETRY_MS);
  }
}

/** Null beside other machines, absent without them. */
const isLocal = ({ host }: PaneState) => !host;

/** Whether the service has read the panes of its own machine since it was started. */
export async function hasRead(flags: Flags): Promise<boolean> {
  const request = { method: "GET", path: "/api/config" } as const;
  const reply = await askFor(flags, request, ConfigReply).catch(() => null);
  return (reply?._info.capabilities.terminal_provider_v1.health.last_success_at ?? 0) > 0;
}

interface Watched extends Scene {
  hosts?: readonly HostState[] | undefined;
}

async function* untilClosed(service: { url: string; secret: string }): AsyncGenerator<Watched> {
  const url = new URL("/ws?mode=delta", service.url.replace(/^http/, "ws"));
  url.searchParams.set("token", service.secret);
  const socket = new WebSocket(url);
  // A service that hangs does not answer a close: the socket is treated as closed.
  const silence = setTimeout(() => socket.dispatchEvent(new Event("close")), SILENCE_MS);
  let scene: Watched | null = null;
  try {
    for await (const [{ data }] of on(socket, "message", { close: ["close", "error"] })) {
      silence.refresh();
      const next = sceneAfter(scene, parseJson(String(data)));
      if (next === "unreadable") return;
      if (next === null || next === scene) continue;
      scene = next;
      yield scene;
    }
  } finally {
    clearTimeout(silence);
    socket.close();
  }
}

/** Null before the first state. */
function sceneAfter(scene: Watched | null, frame: unknown): Watched | null | "unreadable" {
  const whole = StateFrame.safeParse(frame);
  if (whole.success) return { ...whole.data, styles: new Map() };
  const delta = DeltaFrame.safeParse(frame);
  if (!delta.success) return scene;
  const next = scene && applyDelta(scene, delta.data);
  return next ? { ...next, hosts: delta.data.hosts ?? scene.hosts } : "unreadable";
}

/** A target or an id, optionally with the code of a prompt: `work:1.0@3fa9c1`. */
export function parsePaneName(typed: string): { pane: string; code: string | null } {
  const match = /^(.+)@([0-9a-f]{6})$/.exec(typed);
  return match ? { pane: match[1] ?? "", code: match[2] ?? "" } : { pane: typed, code: null };
}

/**
 * Finds by target or id: two panes may have one name.
 * @throws StartupError
 */
export function findPane(panes: readonly PaneState[], typed: string): PaneState {
  const found = panes.find(({ id, target }) => id === typed || target === typed);
  if (found) return found;
  const named = panes.filter(({ name }) => name === typed).map(({ target }) => target);
  const listed = "panewatch ls shows them, idle shells with discovery.include_shells";
  const hint = named.length > 0 ? `say which one: ${named.join(", ")}` : listed;
  throw new StartupError(`no pane ${typed}: ${hint}`);
}

/** A code of six letters for the prompt on a pane's screen; null without a prompt. */
export function promptCode(pane: PaneState): string | null {
  if (pane.status !== "needs_input") return null;
  const { legacy_guard: legacy, action_guard: guarded } = pane;
  const parts = guarded ?? legacy;
  const prints = [parts?.prompt_fingerprint, parts?.options_fingerprint];
  return sha256(JSON.stringify(prints)).toString("hex").slice(0, CODE_LENGTH);
}

/** The words of the page. */
export type StateWord = "waiting" | "error" | "working" | "idle" | "offline";

export function stateWordOf({ status }: Pick<PaneState, "status">): StateWord {
  return status === "needs_input" ? "waiting" : status;
}
