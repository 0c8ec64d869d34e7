import { on } from "node:events";
import { StartupError } from "../../errors.ts";
import { sha256 } from "../../lib/digest.ts";
import { parseJson } from "../../lib/json.ts";
import { type Card, CardsReply } from "../../protocol/cards.ts";
import { applyDelta, type Scene } from "../../protocol/delta.ts";
import { DeltaFrame, StateFrame } from "../../protocol/frames.ts";
import type { PaneState } from "../../protocol/pane.ts";
import { askFor, serviceOf } from "../ask-service.ts";

const CODE_LENGTH = 6;
const RETRY_MS = 250;
/** A service that says nothing for so long is asked again. */
const SILENCE_MS = 60_000;

/** What the running service says of its panes now. @throws StartupError */
export async function readPanes(stateDir: string): Promise<readonly PaneState[]> {
  const request = { method: "GET", path: "/api/state", cannot: "does not tell its panes" } as const;
  return (await askFor(stateDir, request, StateFrame)).panes;
}

/** What needs a person now, in its order. @throws StartupError */
export async function readCards(stateDir: string): Promise<readonly Card[]> {
  const request = { method: "GET", path: "/api/cards", cannot: "does not tell its cards" } as const;
  return (await askFor(stateDir, request, CardsReply)).cards;
}

/**
 * The panes whenever something about one changes, for as long as the caller goes on asking; null
 * while the service is away, which is looked for again: a restart ends nothing.
 * @throws StartupError where no service that lets this one in answers at the start
 */
export async function* followPanes(
  stateDir: string,
): AsyncGenerator<readonly PaneState[] | null, never> {
  await readPanes(stateDir);
  while (true) {
    const service = await serviceOf(stateDir);
    if (service !== null) yield* untilClosed(service);
    yield null;
    await Bun.sleep(RETRY_MS);
  }
}

async function* untilClosed(service: {
  url: string;
  secret: string;
}): AsyncGenerator<readonly PaneState[]> {
  const url = new URL("/ws?mode=delta", service.url.replace(/^http/, "ws"));
  if (service.secret !== "") url.searchParams.set("token", service.secret);
  const socket = new WebSocket(url);
  // A service that hangs answers no close: here it counts as closed.
  const silence = setTimeout(() => socket.dispatchEvent(new Event("close")), SILENCE_MS);
  let scene: Scene | null = null;
  try {
    for await (const [{ data }] of on(socket, "message", { close: ["close", "error"] })) {
      silence.refresh();
      const next = sceneAfter(scene, parseJson(String(data)));
      if (next === "unreadable") return;
      if (next === null || next === scene) continue;
      scene = next;
      yield scene.panes;
    }
  } finally {
    clearTimeout(silence);
    socket.close();
  }
}

/** Null where a frame tells nothing of panes. */
function sceneAfter(scene: Scene | null, frame: unknown): Scene | null | "unreadable" {
  const whole = StateFrame.safeParse(frame);
  if (whole.success) return { panes: whole.data.panes, styles: new Map() };
  const delta = DeltaFrame.safeParse(frame);
  if (!delta.success) return scene;
  return scene === null ? "unreadable" : (applyDelta(scene, delta.data) ?? "unreadable");
}

/**
 * What a person names a pane by: its target or its id, with the code of its prompt (`work:1.0@3fa9c1`)
 * where that was seen.
 */
export function parsePaneName(typed: string): { pane: string; code: string | null } {
  const match = /^(.+)@([0-9a-f]{6})$/.exec(typed);
  return match ? { pane: match[1] ?? "", code: match[2] ?? "" } : { pane: typed, code: null };
}

/**
 * By its target or its id: a name is no address, since two panes may have it.
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

/** Names the prompt that a pane shows, in six letters: another prompt has another; null: none stands. */
export function promptCode(pane: PaneState): string | null {
  if (pane.status !== "needs_input") return null;
  const { legacy_guard: legacy, action_guard: guarded } = pane;
  const parts = guarded ?? legacy;
  const prints = [parts?.prompt_fingerprint, parts?.options_fingerprint];
  return sha256(JSON.stringify(prints)).toString("hex").slice(0, CODE_LENGTH);
}

/** One word for one state, as on the page. */
const STATES = ["waiting", "error", "working", "idle", "offline"] as const;
export type PaneWord = (typeof STATES)[number];

export function shownState({ status }: Pick<PaneState, "status">): PaneWord {
  return status === "needs_input" ? "waiting" : status;
}
