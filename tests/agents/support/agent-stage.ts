import type { AgentRequest } from "../../../src/agents/session.ts";
import type { AgentRun } from "../../../src/agents/agent-run.ts";
import { AgentFeed } from "../../../src/agents/feed.ts";
import { AgentStore } from "../../../src/agents/store/store.ts";
import { detectComposer } from "../../../src/detect/composer.ts";
import { fingerprints } from "../../../src/detect/prompt.ts";
import { ActionQueue } from "../../../src/input/action-queue.ts";
import { createLog } from "../../../src/lib/log.ts";
import type {
  AgentList,
  DecisionList,
  MessageList,
  MessageSearch,
  Timeline,
} from "../../../src/protocol/agent-replies.ts";
import type { Review } from "../../../src/protocol/review.ts";
import type {
  AgentRuntime,
  AgentSession,
  ChatMessage,
  DecisionItem,
} from "../../../src/protocol/agents.ts";
import type { PaneState } from "../../../src/protocol/pane.ts";
import type {
  InputStep,
  ListedPane,
  PaneProcess,
  SendOutcome,
} from "../../../src/terminal/provider.ts";
import type { PaneReading } from "../../../src/terminal/reading.ts";
import { FakeClock } from "../../support/clock.ts";
import { detectWith } from "../../support/detect-input.ts";
import { listedPane, pane, paneSight } from "../../support/pane.ts";
import { inputOf, readScreen } from "../../support/screens.ts";
import { service } from "../../support/service.ts";
import { until } from "../../support/until.ts";
import { addMessage, messageEvent } from "./messages.ts";
import { memoryStore, newSession } from "./store.ts";
import { memoryLedger } from "../../support/in-memory.ts";
import { jsonRequest } from "../../support/json.ts";
import { agentsPart, FakeHubView } from "../../support/agents-part.ts";

/** The question on the recorded screen `question-single`. */
export const DATABASE: Extract<AgentRequest, { kind: "question" }> = {
  kind: "question",
  index: 0,
  count: 1,
  question: {
    id: null,
    header: "Database",
    question: "Which database should the service use?",
    options: [
      { label: "SQLite", description: "One file, nothing to install." },
      { label: "PostgreSQL", description: "A server process." },
      { label: "Plain files", description: "JSON files on disk, no queries." },
    ],
    multiSelect: false,
  },
};

/** Messages on the recorded screens at rest, user first. */
export const SAID = [
  "What does greet.js do?",
  "greet.js exports two functions, greet and bye. Both build a short string from a name.",
];

/** Whatever the endpoints of the workspace reply, and their refusals. */
type ReplyBody = AgentList &
  AgentSession &
  DecisionItem &
  DecisionList &
  MessageList &
  MessageSearch &
  Review &
  Timeline & {
    message: ChatMessage;
    decision: DecisionItem;
    /** A refusal's; often it is a text alone. */
    detail: { message: string; current: AgentSession & DecisionItem };
  };

/** The folder of the recorded screens. */
export const FOLDER = "/tmp/demo/project";
const ID = "%1";

/**
 * The workspace over one pane with recorded screens of a real agent. The test writes into the store
 * what a log would give. Input goes to `onSend`, which shows the next screen.
 */
export class AgentStage {
  readonly clock = new FakeClock();
  readonly ledger = memoryLedger({ clock: this.clock });
  readonly passes = new FakeHubView();
  readonly feed = new AgentFeed(this.clock);
  readonly sent: string[] = [];
  readonly verified: string[] = [];
  readonly log: string[] = [];
  digests = 0;
  readonly #slice;
  readonly #service;
  /** Every run opens this store again, with its rows. */
  store = this.#newStore();
  isWanted = true;
  openStore: () => Promise<AgentStore> = async () => this.store;
  /** Begins another store, as `StoreFile.clear` does. */
  clearStore: () => Promise<void> = async () => {
    const store = this.#newStore();
    store.write(() => store.expiry.setCleared(store.now));
    this.store = store;
  };
  setAside: () => Promise<void> = () => this.clearStore();
  processes: (id: string) => Promise<PaneProcess[]> = async () => [];
  onSend: (input: string) => SendOutcome = () => "sent";
  /** Seconds. */
  pollInterval = 0.7;
  identity = "%1 100";
  #screen = "idle-finished";

  constructor() {
    const log = createLog((line) => this.log.push(line));
    const queue = new ActionQueue({
      ledger: this.ledger,
      machines: {
        of: () => ({
          provider: { send: async (_, steps) => this.#send(steps) },
          poller: { read: async () => this.reading(), noteAction: () => {} },
        }),
      },
      hub: {
        resolve: (wanted) => (wanted === ID ? this.#listed() : null),
        current: { panes: [] },
      },
      pause: async (ms) => this.clock.advance(ms / 1000),
      nowMs: () => this.clock.monotonic() * 1000,
      log,
    });
    this.#slice = agentsPart(this.clock, {
      ...{ log, queue, ledger: this.ledger, hub: this.passes, feed: this.feed },
      isWanted: () => this.isWanted,
      storeFile: {
        open: () => this.openStore(),
        clear: () => this.clearStore(),
        setAside: () => this.setAside(),
      },
      processes: (id) => this.processes(id),
      pollInterval: () => this.pollInterval,
    });
    this.#slice.workspace.alert({
      noteDecision: ({ id }) => void this.verified.push(id),
      sendDigest: () => void (this.digests += 1),
    });
    this.#service = service({ slices: [this.#slice] });
  }

  #newStore(): AgentStore {
    const store = new AgentStore({ database: memoryStore().database, clock: this.clock });
    store.close = () => {};
    return store;
  }

  /** Lines of the log about requests. */
  get requests(): readonly string[] {
    return this.#service.log;
  }

  capabilities() {
    return this.#slice.capabilities?.();
  }

  get workspace() {
    return this.#slice.workspace;
  }

  get run(): AgentRun {
    return this.workspace.require();
  }

  async switchTo(isWanted: boolean): Promise<void> {
    this.isWanted = isWanted;
    this.workspace.settingsChanged();
    await this.workspace.settled();
  }

  show(screen: string): void {
    this.#screen = screen;
  }

  /** A pass over the pane; resolves when the workspace has observed it. */
  async pass(members: Partial<PaneState> = {}): Promise<void> {
    this.clock.advance(1);
    const { state } = this.reading();
    const at = this.clock.now();
    this.passes.publish(at, [paneSight({ ...state, ...members }, this.identity)]);
    await until(() => this.run.binder.observedAt === at);
  }

  /** A session with these messages, user first. */
  session(
    nativeId: string,
    said: readonly string[],
    { runtime = "agent_a", cwd = FOLDER }: { runtime?: AgentRuntime; cwd?: string } = {},
  ): string {
    const lastAt = this.clock.now();
    return this.store.write(() => {
      const id = newSession(this.store, nativeId, { runtime, cwd, firstAt: lastAt, lastAt });
      for (const [index, text] of said.entries())
        this.say(id, index % 2 === 0 ? "user" : "assistant", text);
      return id;
    });
  }

  say(id: string, role: "user" | "assistant", text: string): void {
    this.clock.advance(3);
    const at = this.clock.now();
    const offset = Math.round(this.clock.monotonic() * 1000);
    const event = messageEvent(text, { at, role, source: "record", marksRewinds: false });
    addMessage(this.store, id, event, { offset });
  }

  /** Id of the session's newest snapshot. */
  snapshotOf(id: string): string {
    return this.store.snapshots.latest(id)?.id ?? "";
  }

  ask(path: string, init: RequestInit): Promise<Response> {
    return Promise.resolve(this.#service.request(path, init));
  }

  async request(method: string, path: string, body?: object) {
    const reply = await this.ask(path, jsonRequest(method, body));
    const replied: ReplyBody = await reply.json();
    return { status: reply.status, body: replied };
  }

  /** Sends a message, under the session's first binding. */
  send(id: string, members: object = {}) {
    return this.request("POST", `/api/agents/${id}/messages`, {
      ...{ text: "And bye?", client_message_id: "c1", expected_binding_revision: 1 },
      ...members,
    });
  }

  /** Answers a decision as it was published, under the session's first binding. */
  reply(decision: DecisionItem, members: object = {}) {
    return this.request("POST", `/api/decisions/${decision.id}/reply`, {
      ...{ option_id: "2", custom_text: null, idempotency_key: "k1", expected_binding_revision: 1 },
      expected_revision: decision.revision,
      prompt_fingerprint: decision.prompt_fingerprint,
      ...members,
    });
  }

  reading(): PaneReading {
    const recorded = readScreen("claude", this.#screen);
    const seen = inputOf(recorded);
    const { screen } = seen;
    const finding = detectWith(seen);
    const { prompt } = finding;
    const lines = screen.lines.map(({ text }) => text);
    const state = pane({
      ...{ id: ID, kind: finding.kind, status: finding.status, agent: finding.agent, lines },
      ...{ question: prompt?.question ?? null, legacy_guard: fingerprints(prompt) },
      menu: (prompt?.options ?? []).map(({ answer: _, answerWithText: __, ...option }) => option),
      ...{ cwd: FOLDER, reason: finding.rule },
    });
    const composer = detectComposer(seen, finding);
    return {
      pane: this.#listed(),
      state,
      prompt,
      screen,
      finding,
      composer,
      isUnsettled: false,
      lineAge: 0,
    };
  }

  #listed(): ListedPane {
    const { title, command, width, height, alternate_on } = readScreen("claude", this.#screen).pane;
    return listedPane({
      ...{ id: ID, identity: this.identity, incarnation: this.identity, target: "work:1.1" },
      ...{ title, command, width, height, alternate: alternate_on, cwd: FOLDER },
    });
  }

  #send(steps: readonly InputStep[]): SendOutcome {
    const input = steps.map((step) => (step.do === "key" ? `<${step.key}>` : step.text)).join("");
    this.sent.push(input);
    return this.onSend(input);
  }
}
