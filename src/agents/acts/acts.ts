import { fingerprints } from "../../detect/prompt.ts";
import { AppError, detailOf } from "../../errors.ts";
import type { ActionQueue } from "../../input/action-queue.ts";
import { choose } from "../../input/answer.ts";
import { pressUntilTaken, typeGuarded } from "../../input/typing.ts";
import type { Client } from "../../input/client.ts";
import type { PaneTurn } from "../../input/pane-turn.ts";
import { findDraftMessage, obstacleOf, requireMessage } from "../../input/refusals.ts";
import type { Ledger } from "../../ledger/ledger.ts";
import type { DecisionReply, MessageRequest } from "../../protocol/agent-replies.ts";
import type { AgentSession, ChatMessage, DecisionItem } from "../../protocol/agents.ts";
import type { PaneReading } from "../../terminal/reading.ts";
import type { Binder } from "../binding/binder.ts";
import type { ObservedPane, ObservedPanes } from "../binding/observed-panes.ts";
import { parseConversation } from "../binding/conversation.ts";
import type { KnownDecision } from "../session.ts";
import { agentConflict, requireBinding, requireSession, unknownResource } from "../queries.ts";
import type { AgentStore } from "../store/store.ts";
import { optionKeys } from "./verifier.ts";

/** Nothing is typed on an older observation: older than this, or than four passes. */
const MAX_OBSERVATION_SECONDS = 10;
const MAX_OBSERVATION_PASSES = 4;

const uncertain = (what: string, again: string) =>
  `It is not certain that the ${what} arrived. Look at the terminal before ${again} again.`;

interface ActsDeps {
  store: AgentStore;
  binder: Binder;
  panes: ObservedPanes;
  queue: Pick<ActionQueue, "run" | "find">;
  ledger: Pick<Ledger, "runOnce">;
  pollInterval(): number;
}

/** Sends messages and answers to sessions that are certain to be in their panes. */
export class Acts {
  readonly #deps: ActsDeps;

  constructor(deps: ActsDeps) {
    this.#deps = deps;
  }

  /**
   * Types a message into an idle, empty input line, once for each `client_message_id`; it becomes
   * `observed` when the log has its words.
   * @throws AppError 404; 400 for control characters or no words; 409 with the session, nothing sent,
   * or with a message that may have arrived
   */
  async send(agentId: string, request: MessageRequest, client: Client): Promise<ChatMessage> {
    const { store } = this.#deps;
    const { text, client_message_id: key } = request;
    if (!store.sessions.find(agentId)) throw unknownResource(agentId);
    const known = store.messages.findClient(agentId, key);
    if (known) return known;
    requireMessage(text);
    const pane = this.#requireSeen(agentId, request.expected_binding_revision);
    const act = { kind: "message", client, input: { text }, key } as const;
    return this.#inTurn(pane, act, (turn) => this.#type(turn, agentId, request, pane)).catch(
      (error: unknown) => {
        throw asConflict(error, store.sessions.get(agentId));
      },
    );
  }

  /** A message from the queue was typed into this pane. */
  noteTyped(paneId: string, { id: clientId, text }: { id: string; text: string }): void {
    const { store, binder } = this.#deps;
    const agentId = binder.sessionIn(paneId);
    if (agentId === null || store.messages.findClient(agentId, clientId)) return;
    store.write(() => store.messages.noteTyped(agentId, { text, clientId }, store.now));
  }

  /**
   * Chooses an option in the dialog on the agent's screen, once for each key.
   * @throws AppError 404, 400 for an unknown option, 409 with the decision as it is
   */
  async reply(id: string, request: DecisionReply, client: Client): Promise<DecisionItem> {
    const { store, ledger, panes } = this.#deps;
    const { options } = this.#requirePublic(id).decision;
    const option = options.find((one) => one.id === request.option_id);
    if (!option)
      throw new AppError("invalid", `unknown option: ${request.option_id.slice(0, 160)}`);
    const { idempotency_key: key, ...answer } = request;
    const act = { kind: "reply", client, input: { label: option.label }, key } as const;
    try {
      await ledger.runOnce(key, { op: "reply", id, ...answer }, async () => {
        const pane = this.#requireOpen(id, request);
        await this.#inTurn(pane, act, async (turn) => {
          // Another answer may have been given while this one waited for the pane.
          this.#requireOpen(id, request);
          if (!(await panes.isStill(pane)))
            throw agentConflict("another process runs in the pane", store.decisions.get(id));
          await turn.answer(() => this.#choose(turn, id, request, pane));
        });
      });
    } catch (error) {
      throw asConflict(error, store.decisions.get(id));
    }
    return this.#requirePublic(id).decision;
  }

  #inTurn<T>(
    { id }: ObservedPane,
    act: Parameters<ActionQueue["run"]>[1],
    work: (turn: PaneTurn) => Promise<T>,
  ): Promise<T> {
    const { queue } = this.#deps;
    return queue.run({ id, listed: queue.find(id) }, act, work);
  }

  #requireSeen(agentId: string, bindingRevision: number): ObservedPane {
    const { store, binder, pollInterval } = this.#deps;
    const session = requireSession(store, agentId);
    requireBinding(session, bindingRevision);
    if (session.association !== "confirmed")
      throw agentConflict("the session is in no pane for certain", session);
    const oldest = Math.max(MAX_OBSERVATION_SECONDS, MAX_OBSERVATION_PASSES * pollInterval());
    const pane = binder.paneOf(agentId);
    if (!pane || binder.passAge > oldest)
      throw agentConflict("the pane has not been seen of late", session);
    return pane;
  }

  async #type(
    turn: PaneTurn,
    agentId: string,
    request: MessageRequest,
    pane: ObservedPane,
  ): Promise<ChatMessage> {
    const { store, panes } = this.#deps;
    const { text, client_message_id: clientId, expected_binding_revision } = request;
    // The same request may have been served while this one waited for the pane.
    const known = store.messages.findClient(agentId, clientId);
    if (known) return known;
    // The binding may have changed while another action had the pane.
    this.#requireSeen(agentId, expected_binding_revision);
    const refuse = (reason: string) => agentConflict(reason, store.sessions.get(agentId));
    if (!(await panes.isStill(pane))) throw refuse("another process runs in the pane");
    const hasSpoken = store.messages.latest(agentId, 1).length > 0;
    const accept = (now: PaneReading): null => {
      const reason = whyNotTyped(now, pane, hasSpoken);
      if (reason !== null) throw refuse(reason);
      return null;
    };
    await turn.require(accept);
    const { message, isNew } = store.write(() =>
      store.messages.reserve(agentId, { text, clientId }, store.now),
    );
    if (!isNew) return message;
    const note = (status: ChatMessage["status"]) =>
      store.write(() => store.messages.noteSent(message.id, status, store.now));
    try {
      await typeGuarded(turn, { text, enter: true }, accept);
      await pressUntilTaken(turn, text);
    } catch (cause) {
      note(turn.hasSent ? "unknown" : "failed");
      if (!turn.hasSent && cause instanceof AppError) throw cause;
      const logged = turn.hasSent ? uncertain("message", "sending it") : "nothing was sent";
      const message = turn.hasSent ? (findDraftMessage(cause) ?? logged) : logged;
      throw agentConflict(message, store.sessions.get(agentId), { cause, logged });
    }
    note("sent");
    return store.messages.get(message.id) ?? message;
  }

  /** The pane of an open decision, by all checks that need no new reading of the screen. */
  #requireOpen(id: string, request: DecisionReply): ObservedPane {
    const { store, binder } = this.#deps;
    const { decision } = this.#requirePublic(id);
    const refuse = (message: string) => agentConflict(message, decision);
    if (request.custom_text !== null) throw refuse("a decision takes none but its own options");
    if (decision.status !== "pending") throw refuse(`the decision is ${decision.status}`);
    if (decision.revision !== request.expected_revision) throw refuse("stale decision revision");
    if (decision.review_status !== "actionable")
      throw refuse("this one is answered in the terminal");
    const session = store.sessions.get(decision.agent_id);
    const bound = session?.binding_revision;
    if (bound !== request.expected_binding_revision || bound !== decision.binding_revision)
      throw refuse("stale binding revision");
    if (decision.prompt_fingerprint !== request.prompt_fingerprint)
      throw refuse("another prompt was shown");
    const pane = binder.paneOf(decision.agent_id);
    if (session?.association !== "confirmed" || !pane)
      throw refuse("the session is in no pane for certain");
    return pane;
  }

  async #choose(
    turn: PaneTurn,
    id: string,
    request: DecisionReply,
    pane: ObservedPane,
  ): Promise<void> {
    const { store } = this.#deps;
    const known = this.#requirePublic(id);
    const refuse = (message: string, cause?: unknown) =>
      agentConflict(message, store.decisions.get(id), { cause });
    const { prompt } = await turn.require((now) => {
      const reason = whyNotAnswered(now, known, pane);
      if (reason !== null) throw refuse(reason);
      return null;
    });
    const keys = optionKeys(known, prompt);
    const place = known.decision.options.findIndex((option) => option.id === request.option_id);
    const key = keys?.[place];
    if (key === undefined) throw refuse(OTHER_OPTIONS);
    const note = (
      from: DecisionItem["status"],
      status: DecisionItem["status"],
      selected_option_id: string | null,
    ) =>
      store.write(() =>
        store.decisions.change(id, [from], { status, selected_option_id }, store.now),
      );
    note("pending", "submitting", request.option_id);
    try {
      await choose(turn, { id: pane.id, key, expected: fingerprints(prompt) });
    } catch (cause) {
      note("submitting", turn.hasSent ? "unknown" : "pending", null);
      if (turn.hasSent) throw refuse(uncertain("answer", "answering"), cause);
      throw refuse("the prompt has changed, nothing was sent", cause);
    }
  }

  #requirePublic(id: string): KnownDecision {
    const known = this.#deps.store.decisions.find(id);
    if (!known || known.decision.status === "unverified") throw unknownResource(id);
    return known;
  }
}

/** A refusal of a turn at a pane, as a conflict with the agent's present state. */
function asConflict(error: unknown, current: AgentSession | DecisionItem | null): unknown {
  const isOfPane = error instanceof AppError && ["invalid", "conflict"].includes(error.kind);
  if (!isOfPane) return error;
  const { message = error.message } = detailOf(error);
  return agentConflict(String(message), current, { cause: error.cause, logged: error.message });
}

const OTHER_OPTIONS = "the prompt has other options now";
/** Rows at the end of a screen that must be unchanged where no input line is recognised. */
const LAST_ROWS = 16;

const OBSTACLES = {
  asks: "the agent waits for an answer",
  busy: "the agent is not idle",
  typed: "somebody has typed something into the input line",
  unclear: "it cannot be told what stands in the input line",
} as const;

/** Why a message must not be typed now; null: it may. */
export function whyNotTyped(
  now: PaneReading,
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
  const conversation = parseConversation(state.lines, place.runtime, true);
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

/** Why the dialog on the screen must not be answered with this decision; null: it may. */
export function whyNotAnswered(
  now: PaneReading,
  { decision, request }: KnownDecision,
  pane: ObservedPane,
) {
  if (now.pane.identity !== pane.identity || now.state.kind !== pane.runtime)
    return "another program runs in the pane";
  if (now.finding.keepsPrevious || !now.prompt) return "the prompt is not there";
  if (!now.prompt.recognised) return "the prompt is not one that is known by its shape";
  if (fingerprints(now.prompt).prompt_fingerprint !== decision.prompt_fingerprint)
    return "the prompt has changed";
  return optionKeys({ decision, request }, now.prompt) ? null : OTHER_OPTIONS;
}
