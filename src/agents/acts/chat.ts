import { randomUUID } from "node:crypto";
import { AppError } from "../../errors.ts";
import type { ActionQueue } from "../../input/action-queue.ts";
import { draftToldBy, pressUntilTaken, typeGuarded } from "../../input/answer.ts";
import type { Client } from "../../input/client.ts";
import { requireLiteral } from "../../input/plan.ts";
import { obstacleOf } from "../../input/refused.ts";
import type { PaneTurn } from "../../input/pane-turn.ts";
import type { MessageRequest } from "../../protocol/agent-replies.ts";
import type { ChatMessage } from "../../protocol/agents.ts";
import type { FreshRead } from "../../terminal/reading.ts";
import type { Binder } from "../binding/binder.ts";
import type { ObservedPane, ObservedPanes } from "../binding/observed-panes.ts";
import { conversationOn } from "../binding/screen-words.ts";
import { asConflict, agentConflict, unknownResource } from "../queries.ts";
import type { AgentStore } from "../store/store.ts";

/** What was observed longer ago is no ground to type on: this, or four passes. */
const MAX_OBSERVATION_SECONDS = 10;
const MAX_OBSERVATION_PASSES = 4;

const UNCERTAIN =
  "It is not certain that the message arrived. Look at the terminal before sending it again.";

interface ChatDeps {
  store: AgentStore;
  binder: Binder;
  panes: ObservedPanes;
  queue: Pick<ActionQueue, "run" | "find">;
  /** Seconds between two passes. */
  pollInterval(): number;
}

/** Messages into the input line of an agent that is surely the one, surely idle and surely empty. */
export class Chat {
  readonly #deps: ChatDeps;

  constructor(deps: ChatDeps) {
    this.#deps = deps;
  }

  /**
   * Sends once for each `client_message_id`, whatever is asked how often; what was sent becomes
   * `observed` when the log has its words.
   * @throws AppError 404; 400 for control characters; 409 with the session, nothing sent, or with
   * a message that may have arrived
   */
  async send(agentId: string, request: MessageRequest, client: Client): Promise<ChatMessage> {
    const { store, queue } = this.#deps;
    if (!store.sessions.known(agentId)) throw unknownResource(agentId);
    const known = store.messages.findClient(agentId, request.client_message_id);
    if (known) return known;
    requireLiteral(request.text);
    const pane = this.#require(agentId, request.expected_binding_revision);
    const target = { id: pane.id, listed: queue.find(pane.id) };
    try {
      return await queue.run(
        target,
        {
          ...{ kind: "message", client, said: { text: request.text } },
          key: request.client_message_id,
        },
        (slot) => this.#deliver(slot, agentId, request, pane),
      );
    } catch (error) {
      throw asConflict(error, store.sessions.get(agentId));
    }
  }

  /** A message that has waited was typed into this pane. */
  carry(paneId: string, { id: clientId, text }: { id: string; text: string }): void {
    const { store, binder } = this.#deps;
    const agentId = binder.sessionIn(paneId);
    if (agentId === null || store.messages.findClient(agentId, clientId)) return;
    store.write(() =>
      store.messages.carry(agentId, { id: randomUUID(), text, clientId }, store.now),
    );
  }

  /** The pane of a confirmed, freshly observed session. */
  #require(agentId: string, bindingRevision: number): ObservedPane {
    const { store, binder, pollInterval } = this.#deps;
    const session = store.sessions.get(agentId);
    if (!session) throw unknownResource(agentId);
    if (session.binding_revision !== bindingRevision)
      throw agentConflict("stale binding revision", session);
    if (session.association !== "confirmed")
      throw agentConflict("the session is in no pane for certain", session);
    const oldest = Math.max(MAX_OBSERVATION_SECONDS, MAX_OBSERVATION_PASSES * pollInterval());
    const place = binder.placeOf(agentId);
    if (!place || binder.lookAge > oldest)
      throw agentConflict("the pane has not been seen of late", session);
    return place.pane;
  }

  async #deliver(
    slot: PaneTurn,
    agentId: string,
    request: MessageRequest,
    pane: ObservedPane,
  ): Promise<ChatMessage> {
    const { store, panes } = this.#deps;
    const { text, client_message_id: clientId, expected_binding_revision } = request;
    // A twin that came first may have had the pane meanwhile.
    const known = store.messages.findClient(agentId, clientId);
    if (known) return known;
    // The binding may have changed while another action had the pane.
    this.#require(agentId, expected_binding_revision);
    if (!(await panes.isStill(pane)))
      throw agentConflict("another process runs in the pane", store.sessions.get(agentId));
    const hasSpoken = store.messages.latest(agentId, 1).length > 0;
    const accept = (now: FreshRead): null => {
      const reason = whyNotTyped(now, pane, hasSpoken);
      if (reason !== null) throw agentConflict(reason, store.sessions.get(agentId));
      return null;
    };
    await slot.require(accept);
    const { message, isNew } = store.write(() =>
      store.messages.reserve(agentId, { id: randomUUID(), text, clientId }, store.now),
    );
    if (!isNew) return message;
    try {
      await typeGuarded(slot, { text, enter: true }, accept);
      await pressUntilTaken(slot, text);
    } catch (cause) {
      throw this.#failed(message, slot.hasSent, cause);
    }
    store.write(() => store.messages.setStatus(message.id, ["submitting"], "sent", store.now));
    return store.messages.get(message.id) ?? message;
  }

  #failed(message: ChatMessage, hasSent: boolean, cause: unknown): AppError {
    const { store } = this.#deps;
    const status = hasSent ? "unknown" : "failed";
    store.write(() => store.messages.setStatus(message.id, ["submitting"], status, store.now));
    const current = store.sessions.get(message.agent_id);
    if (hasSent)
      return agentConflict(draftToldBy(cause) ?? UNCERTAIN, current, { cause, logged: UNCERTAIN });
    return cause instanceof AppError
      ? cause
      : agentConflict("nothing was sent", current, { cause });
  }
}

/** Rows at the end of a screen that must be the same where nobody knows the input line. */
const LAST_ROWS = 16;

const OBSTACLES = {
  asks: "the agent waits for an answer",
  busy: "the agent is not idle",
  typed: "somebody has typed something into the input line",
  unclear: "it cannot be told what stands in the input line",
} as const;

/** Why a message must not be typed into a pane as it is now; null: it may. */
export function whyNotTyped(
  now: FreshRead,
  place: ObservedPane,
  hasSpoken: boolean,
): string | null {
  const { state, pane, composer } = now;
  if (state.kind !== place.runtime) return "another program runs in the pane";
  if (pane.identity !== place.identity || pane.cwd !== place.state.cwd)
    return "the pane is not the one that the session was in";
  const obstacle = obstacleOf(now, "idle");
  const isBare = obstacle === "unclear" && composer === null;
  if (obstacle !== null && !isBare) return OBSTACLES[obstacle];
  const conversation = conversationOn(state.lines, place.runtime, true);
  const drawnBefore = place.conversation.folder;
  if (drawnBefore !== null && conversation.folder !== null && conversation.folder !== drawnBefore)
    return "the program works in another folder";
  if (hasSpoken && conversation.isFresh) return "the program has begun another session";
  if (composer) return null;
  return isSameBareScreen(state.lines, place.state.lines) ? null : "no input line is recognised";
}

function isSameBareScreen(now: readonly string[], seen: readonly string[]): boolean {
  const last = lastRows(now);
  return last.join("\n") === lastRows(seen).join("\n") && /^\s*[>❯›]\s*$/.test(last.at(-1) ?? "");
}

function lastRows(lines: readonly string[]): string[] {
  return lines.filter((line) => line.trim() !== "").slice(-LAST_ROWS);
}
