import {
  type CandidatePane,
  confirmedMatch,
  nextBinding,
  possibleMatch,
  releasedMatch,
} from "../../src/agents/binding/binding.ts";
import { type Binding, NO_MATCH } from "../../src/agents/session.ts";
import { limitSteps } from "../../src/agents/logs/steps.ts";
import { agentRoutes, reviewRoutes } from "../../src/agents/slice.ts";
import { requireBinding, requireSession } from "../../src/agents/queries.ts";
import { deltaOf, isVisibleChange } from "../../src/agents/store/timeline.ts";
import { AppError } from "../../src/errors.ts";
import type { AgentEvent, BindingRequest } from "../../src/protocol/agent-replies.ts";
import type { AgentSession, ChatMessage, DecisionItem, Step } from "../../src/protocol/agents.ts";
import type { PaneSession } from "../../src/protocol/explain.ts";
import type { PaneState } from "../../src/protocol/pane.ts";
import { Reviewer } from "../../src/agents/review/review.ts";
import { ReviewStore } from "../../src/agents/review/store.ts";
import type { Slice } from "../../src/slice.ts";
import { lazy } from "../../src/lib/lazy.ts";
import { Table } from "../../src/store/table.ts";
import { candidatePane } from "../agents/support/candidates.ts";
import { memoryStore } from "../agents/support/store.ts";
import { agentId, putMessages, readAll } from "./fixture-work.ts";

/** No test has more messages of one session. */
const ALL = 1_000_000;

/**
 * The agent workspace of a fixture server: the product's own endpoints, review and store, in which
 * logs were read; which session is in which pane is the test's to say.
 */
export class FixtureAgents {
  /** Tells every socket that asked for events. */
  publish: (event: AgentEvent) => void = () => {};
  /** What was done between the messages of a session, by its id, oldest first. */
  readonly steps = new Map<string, readonly Step[]>();
  /** Decisions that carry their prompt's fingerprint. */
  readonly #met = new Set<string>();
  /** The sessions and panes for which that was looked at last. */
  #metIn: readonly unknown[] = [];
  /** As of a version of the store: a pass asks for every pane, and a busy machine has no time to read. */
  #read: { version: number; sessions: readonly AgentSession[] } = { version: -1, sessions: [] };
  readonly #panes: () => readonly PaneState[];
  readonly #now: () => number;
  readonly #made = lazy(() => {
    const memory = memoryStore();
    readAll(memory);
    const { store } = memory;
    store.subscribe((event) => this.publish(event));
    const timer = new ReviewStore(memory.database);
    const reviewer = new Reviewer({
      ...{ agents: store, onError: false },
      panes: this.#panes,
      publish: (kind, id) => this.tell(kind, id),
      sendDigest: () => {},
    });
    return { ...memory, timer, reviewer };
  });

  constructor(panes: () => readonly PaneState[], now: () => number) {
    this.#panes = panes;
    this.#now = now;
  }

  get #memory() {
    const made = this.#made();
    made.clock.now = this.#now();
    return made;
  }

  /** All endpoints, which only a workspace that is on has. */
  slice(isOn: () => boolean): Slice {
    const on = <T>(part: T): T => {
      if (!isOn()) throw new AppError("unavailable", "agent context is disabled");
      this.#meet();
      return part;
    };
    const acts = () => {
      throw new Error("nothing is typed into the panes of a fixture");
    };
    const run = {
      act: <T>(work: Promise<T>) => work,
      acts: { send: acts, reply: acts },
      steps: { around: async (id: string, at: number | null) => this.#stepsAround(id, at) },
      binder: {
        bind: async (id: string, { pane_id, expected_binding_revision }: BindingRequest) => {
          requireBinding(requireSession(this.#memory.store, id), expected_binding_revision);
          const pane = this.#findPane(pane_id);
          if (!pane) throw new AppError("not_found", `there is no pane ${pane_id}`);
          return this.#bind(id, (before) =>
            nextBinding(before, confirmedMatch(pane, "hand", "A person bound it.")),
          );
        },
        release: async (id: string, revision: number) => {
          requireBinding(requireSession(this.#memory.store, id), revision);
          return this.#release(id);
        },
      },
    };
    return {
      name: "agents",
      routes: {
        ...agentRoutes({
          require: () => on({ ...run, store: this.#memory.store }),
          clear: async () => this.#remove(this.sessions()),
        }),
        ...reviewRoutes(() => on(this.#memory.reviewer)),
      },
    };
  }

  sessions(): readonly AgentSession[] {
    const { sessions, version } = this.#memory.store;
    if (this.#read.version !== version)
      this.#read = { version, sessions: sessions.page(null, ALL).agents };
    return this.#read.sessions;
  }

  find(title: string): AgentSession {
    return requireSession(this.#memory.store, agentId(title));
  }

  /** Id of its newest snapshot. */
  snapshotOf(title: string): string {
    return this.#memory.store.snapshots.latest(agentId(title))?.id ?? "";
  }

  /** The one decision of a session. */
  decisionOf({ id }: Pick<AgentSession, "id">): DecisionItem | undefined {
    return this.#memory.store.decisions.live(id)[0]?.decision;
  }

  /** What there is to review of every agent. */
  groups() {
    this.#meet();
    return this.#memory.reviewer.groups;
  }

  /** When answers are collected, and until when. */
  get timer(): ReviewStore {
    return this.#memory.timer;
  }

  /** Tells of a change, as the service does after each. */
  tell(kind: AgentEvent["kind"], agent_id = "", more: Partial<AgentEvent> = {}): void {
    this.publish({ kind, agent_id, revision: 1, ...more });
  }

  /** Changes a session, with the snapshot of the difference. */
  changeAgent(title: string, members: Partial<AgentSession>): void {
    const { store, database } = this.#memory;
    const before = this.find(title);
    const { id, revision, context } = before;
    const after = { ...before, ...members, revision: revision + 1 };
    store.write(() => {
      const rows = new Table<{ public: AgentSession }>(database, "sessions");
      rows.update({ public: after }, "WHERE id = ?", id);
      if (!isVisibleChange(context, after.context)) return;
      store.snapshots.add({
        ...{ agent_id: id, sequence: store.sessions.nextSequence(id), type: "activity", title },
        ...{ created_at: store.now, occurred_at: store.now, context: after.context },
        delta: deltaOf(context, after.context),
      });
    });
    this.tell("agent_updated", id);
  }

  changeDecision(title: string, members: Partial<DecisionItem>): void {
    const { store } = this.#memory;
    const decision = this.decisionOf(this.find(title));
    if (!decision) throw new Error(`${title} asks nothing`);
    store.write(() => store.decisions.change(decision.id, [decision.status], members, store.now));
  }

  messages(title: string): ChatMessage[] {
    const query = { cursor: null, limit: ALL, q: null, role: null, after: null, before: null };
    return this.#memory.store.messages.page(agentId(title), query).messages;
  }

  /** Replaces the messages and tells nobody. */
  setMessages(title: string, messages: readonly ChatMessage[]): void {
    putMessages(this.#memory.database, agentId(title), messages);
  }

  /** Adds messages and tells of them. */
  say(title: string, ...messages: readonly ChatMessage[]): void {
    this.setMessages(title, [...this.messages(title), ...messages]);
    this.tell("message_updated", agentId(title), { message_id: messages.at(-1)?.id ?? "" });
  }

  /** Unbinds the session and leaves it these panes as candidates. */
  makeAmbiguous(title: string, paneIds: readonly string[]): void {
    const id = agentId(title);
    const panes = paneIds.map((pane) => this.#findPane(pane) ?? candidatePane(pane, []));
    const reason = "The same program in the same folder.";
    // By another revision, also where other panes were its candidates.
    const free = (before: Binding) => nextBinding(before, NO_MATCH);
    this.#bind(id, (before) => ({ ...free(before), ...possibleMatch(panes, 0.6, reason) }));
  }

  remove(title: string): void {
    this.#remove([this.find(title)]);
  }

  /** The session that is certainly in a pane. */
  inPane(paneId: string): string | null {
    return this.sessions().find(({ pane_id }) => pane_id === paneId)?.id ?? null;
  }

  /** What an explanation of a pane names: the sessions that it shows or may show. */
  sessionsIn(paneId: string): PaneSession[] {
    return this.sessions()
      .filter(
        ({ pane_id, binding_candidates }) =>
          pane_id === paneId || binding_candidates.some((one) => one.pane_id === paneId),
      )
      .map(({ id, association }) => ({ agent_id: id, association, reasons: [] }));
  }

  /** Verifies decisions as a pass does: each gets the fingerprint of the prompt on its pane. */
  #meet(): void {
    const { store } = this.#memory;
    const [sessions, panes] = [this.sessions(), this.#panes()];
    if (this.#metIn[0] === sessions && this.#metIn[1] === panes) return;
    this.#metIn = [sessions, panes];
    for (const session of sessions) {
      const pane = panes.find(({ id }) => id === session.pane_id);
      const prompt_fingerprint = pane?.legacy_guard?.prompt_fingerprint ?? null;
      const decision = prompt_fingerprint === null ? undefined : this.decisionOf(session);
      if (!decision || prompt_fingerprint === null || this.#met.has(decision.id)) continue;
      this.#met.add(decision.id);
      const { id, status } = decision;
      store.write(() => store.decisions.change(id, [status], { prompt_fingerprint }, store.now), {
        isQuiet: true,
      });
    }
  }

  #stepsAround(id: string, at: number | null) {
    const steps = [...(this.steps.get(id) ?? [])];
    const { last: _, ...told } = limitSteps({ steps, from: null, to: null, last: null }, at);
    return told;
  }

  #bind(id: string, next: (before: Binding) => Binding): AgentSession {
    const { store } = this.#memory;
    const known = store.sessions.find(id);
    if (known) store.write(() => store.sessions.set(id, { binding: next(known.binding) }));
    return requireSession(store, id);
  }

  /** The pane is not bound again by itself, and stays a candidate that a person may choose. */
  #release(id: string): AgentSession {
    return this.#bind(id, (before) => {
      const pane = this.#findPane(before.paneId ?? "");
      return nextBinding(before, pane ? releasedMatch(pane) : NO_MATCH);
    });
  }

  #remove(sessions: readonly AgentSession[]): void {
    const { store } = this.#memory;
    store.write(() => {
      for (const { id } of sessions) store.expiry.dropSession(id);
    });
    for (const { id } of sessions) this.tell("history_deleted", id);
  }

  #findPane(id: string): CandidatePane | null {
    const state = this.#panes().find((one) => one.id === id);
    if (state === undefined) return null;
    const { target, name } = state;
    return candidatePane(id, [], { target, name, incarnation: id });
  }
}
