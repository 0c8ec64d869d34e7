import { batch, signal, type Signal } from "@preact/signals";
import type { SeenAgent, SeenMessage } from "../../../../src/protocol/tolerant-agents.ts";
import type { ChatDraft } from "../../../model/chat/draft.ts";
import type { OutgoingMessage } from "../../../model/chat/outgoing.ts";
import { FRESH_MS, SHIELD_MS } from "../../../model/guard.ts";
import type { WritingObstacle } from "../../../model/chat/writing.ts";
import type { AgentsApi } from "../../../net/agents-api.ts";
import { isUncertain, reasonOf, type Failure } from "../../../net/api.ts";
import type { Claim } from "../pane-gate.ts";
import type { Panes } from "../panes.ts";
import { ChatDrafts, type ChatDraftsDeps } from "./chat-drafts.ts";
import { ChatGate, type ChatGateDeps } from "./chat-gate.ts";
import { findMessage } from "./find-message.ts";

/** A message whose reply was lost is looked for this long. */
export const LOOK_FOR_MS = 15_000;
/** Another page may still wait for its reply, and looks for it after that. */
const OTHER_PAGE_MS = 2 * LOOK_FOR_MS;
export interface MessagePress {
  readonly agent: SeenAgent;
  readonly text: string;
  /** Milliseconds since what is written to last changed. */
  readonly steadyMs: number;
}

export interface OutgoingDeps extends ChatGateDeps, ChatDraftsDeps {
  readonly api: AgentsApi;
  readonly panes: Pick<Panes, "find" | "latest" | "ageMs">;
  readonly nowMs: () => number;
  /** Brings a new snapshot; false when nobody answered. */
  readonly refresh: () => Promise<boolean>;
  readonly onUnauthorized: () => void;
}

/**
 * Messages to agents. Each is stored under its name before it leaves, leaves once, and is looked for
 * under that name when nobody said what became of it; it is never sent again.
 */
export class Outgoing {
  readonly #deps: OutgoingDeps;
  readonly #drafts: ChatDrafts;
  readonly #gate: ChatGate;
  readonly #messages = new Map<string, Signal<OutgoingMessage | null>>();
  /** Of what has left and is not known yet, by agent. */
  readonly #claims = new Map<string, Claim>();
  /** What this page itself asks of the server, by agent. */
  readonly #asking = new Map<string, AbortController>();

  constructor(deps: OutgoingDeps) {
    this.#deps = deps;
    this.#drafts = new ChatDrafts(deps);
    this.#gate = new ChatGate(deps);
  }

  /** What an earlier page was sending is looked for. */
  start(): void {
    for (const agentId of this.#drafts.load()) this.#resume(agentId, LOOK_FOR_MS);
  }

  /** Switched off, or signed out. What is stored stays, and is looked for by the next page. */
  stop(): void {
    for (const asking of this.#asking.values()) asking.abort();
    this.#asking.clear();
    for (const claim of this.#claims.values()) claim.abandon();
    this.#claims.clear();
    batch(() => {
      this.#drafts.leave();
      for (const message of this.#messages.values()) message.value = null;
    });
    this.#messages.clear();
  }

  draft(agentId: string): Signal<ChatDraft | null> {
    return this.#drafts.of(agentId);
  }

  of(agentId: string): Signal<OutgoingMessage | null> {
    const known = this.#messages.get(agentId);
    if (known !== undefined) return known;
    const message = signal<OutgoingMessage | null>(null);
    this.#messages.set(agentId, message);
    return message;
  }

  /** Keeps what is written; the result is how many control characters were left out. */
  write(agentId: string, written: string): number {
    if (this.draft(agentId).peek()?.leaving) return 0;
    this.of(agentId).value = null;
    return this.#drafts.write(agentId, written);
  }

  /** Why nothing can be written to this agent now; what reads it follows it. */
  obstacle(agent: SeenAgent): WritingObstacle | null {
    return this.#gate.obstacle(agent, this.of(agent.id).value?.step);
  }

  /** Sends what is written, if it still goes to what the press was meant for. */
  async send({ agent, text, steadyMs }: MessagePress): Promise<void> {
    const { gate, panes, refresh, api, nowSeconds } = this.#deps;
    const message = this.of(agent.id);
    const step = message.peek()?.step;
    if (step === "sending" || step === "uncertain" || text.trim() === "") return;
    if (!this.#stands(agent.id, text)) return;
    if (steadyMs < SHIELD_MS) {
      message.value = { step: "moved" };
      return;
    }
    message.value = { step: "sending" };
    if (panes.ageMs() > FRESH_MS && !(await refresh())) {
      message.value = { step: "refused", reason: "no_connection" };
      return;
    }
    // Another tab may have sent it while the pane was read.
    const draft = this.#stands(agent.id, text) ? this.draft(agent.id).peek() : null;
    if (draft === null) return;
    const paneId = this.#gate.paneOf(agent);
    const claim = paneId === null ? null : gate.claim([paneId], text);
    if (paneId === null || claim === null) {
      message.value = { step: "changed" };
      return;
    }
    const leaving = { ...draft, leaving: { paneId, at: nowSeconds() } };
    this.#drafts.keep(agent.id, leaving);
    this.#claims.set(agent.id, claim);
    const pass = claim.leave();
    const asking = this.#ask(agent.id);
    const result = await api.say(pass, agent.id, text, draft.id, agent.binding_revision);
    if (asking.signal.aborted) return;
    this.#asking.delete(agent.id);
    if (result.ok) return this.#settle(agent.id, leaving, result.value.message);
    await this.#failed(agent.id, leaving, result.failure);
  }

  /** Messages that were read: one of them may be what is looked for. */
  notice(agentId: string, messages: readonly SeenMessage[]): void {
    const draft = this.draft(agentId).peek();
    const message = this.of(agentId);
    if (draft !== null && message.peek()?.step === "uncertain") {
      const found = messages.find(({ client_message_id: id }) => id === draft.id);
      if (found !== undefined && found.status !== "submitting" && found.status !== "unknown")
        this.#settle(agentId, draft, found);
    }
    const now = message.peek();
    if (now?.step === "sent" && messages.some(({ id }) => id === now.message.id))
      message.value = null;
  }

  /** Nothing that was written stays, but for what is on its way: nobody knows yet what becomes of it. */
  forget(agentId: string): void {
    if (this.draft(agentId).peek()?.leaving) return;
    this.#drafts.keep(agentId, null);
    this.of(agentId).value = null;
  }

  /** Another tab has written, sent or settled a message. */
  follow(key: string): void {
    const agentId = this.#drafts.agentOf(key);
    if (agentId !== null) this.#takeOver(agentId);
  }

  #takeOver(agentId: string): void {
    const stored = this.#drafts.stored(agentId);
    const isOwn = this.draft(agentId).peek()?.leaving && this.#asking.has(agentId);
    // What this page itself has on its way goes on until somebody knows more.
    if (isOwn && stored?.leaving) return;
    if (!stored?.leaving) this.#certain(agentId);
    this.#asking.get(agentId)?.abort();
    this.#asking.delete(agentId);
    batch(() => {
      this.draft(agentId).value = stored;
      this.of(agentId).value = null;
    });
    this.#resume(agentId, OTHER_PAGE_MS);
  }

  /** A message that another page has sent is looked for. */
  #resume(agentId: string, forMs: number): void {
    const draft = this.draft(agentId).peek();
    if (!draft?.leaving) return;
    if (!this.#claims.has(agentId))
      this.#claims.set(agentId, this.#deps.gate.resume(draft.leaving.paneId, draft.text));
    void this.#lookFor(agentId, draft, forMs);
  }

  async #failed(agentId: string, draft: ChatDraft, failure: Failure): Promise<void> {
    if (isUncertain(failure)) return this.#lookFor(agentId, draft, LOOK_FOR_MS);
    if (failure.kind === "unauthorized") {
      this.#certain(agentId);
      this.#giveBack(agentId, draft, null);
      return this.#deps.onUnauthorized();
    }
    const reason = reasonOf(failure);
    // A conflict may come after the text has left: the message itself tells, where there is one.
    if (failure.kind === "refused" && failure.status === 409)
      return this.#lookFor(agentId, draft, LOOK_FOR_MS, reason);
    this.#refused(agentId, draft, reason);
  }

  /** Looks for a message that left; `refusal` is what the server said, null where it said nothing. */
  async #lookFor(
    agentId: string,
    draft: ChatDraft,
    forMs: number,
    refusal: string | null = null,
  ): Promise<void> {
    const { signal } = this.#ask(agentId);
    this.of(agentId).value = { step: "sending" };
    const isRefused = refusal !== null;
    const search = { agentId, clientId: draft.id, forMs, isRefused, signal };
    const found = await findMessage(this.#deps, search);
    if (found === null) return;
    this.#asking.delete(agentId);
    if (found === "unheard") return this.#doubt(agentId, draft);
    if (found !== "absent") return this.#settle(agentId, draft, found, refusal ?? "");
    this.#refused(agentId, draft, refusal ?? "");
  }

  /** The server knows the message: what it says of it ends the question. */
  #settle(agentId: string, draft: ChatDraft, message: SeenMessage, reason = ""): void {
    switch (message.status) {
      case "sent":
      case "observed":
        this.#certain(agentId);
        return batch(() => {
          this.#drafts.keep(agentId, null);
          this.of(agentId).value = { step: "sent", message };
        });
      case "failed":
        return this.#refused(agentId, draft, reason);
      case "submitting":
        return void this.#lookFor(agentId, draft, LOOK_FOR_MS);
      case "unknown":
        return this.#doubt(agentId, draft);
    }
  }

  #refused(agentId: string, draft: ChatDraft, reason: string): void {
    this.#certain(agentId);
    this.#giveBack(agentId, draft, { step: "refused", reason });
  }

  #doubt(agentId: string, draft: ChatDraft): void {
    this.of(agentId).value = { step: "uncertain" };
    this.#claims.get(agentId)?.doubt(() => {
      this.#claims.delete(agentId);
      this.#giveBack(agentId, draft, null);
    });
  }

  /** It is known what became of it. */
  #certain(agentId: string): void {
    this.#claims.get(agentId)?.release();
    this.#claims.delete(agentId);
  }

  /** The text is in the field again. Under another name: the server may have closed this one. */
  #giveBack(agentId: string, { text }: ChatDraft, message: OutgoingMessage | null): void {
    batch(() => {
      this.#drafts.anew(agentId, text);
      this.of(agentId).value = message;
    });
  }

  /** Whether this text still stands in the browser, unsent; else what stands there is taken over. */
  #stands(agentId: string, text: string): boolean {
    const isThere = this.#drafts.isStored(agentId, text);
    if (!isThere) this.#takeOver(agentId);
    return isThere;
  }

  #ask(agentId: string): AbortController {
    this.#asking.get(agentId)?.abort();
    const asking = new AbortController();
    this.#asking.set(agentId, asking);
    return asking;
  }
}
