import { detect } from "../../src/detect/detect.ts";
import { fingerprints } from "../../src/detect/prompt.ts";
import type { Composer, Prompt, PromptOption, TerminalUse } from "../../src/detect/finding.ts";
import { NO_PATTERNS } from "../../src/detect/pattern-rules.ts";
import { GuardedInput } from "../../src/input/guarded.ts";
import { LegacyInput } from "../../src/input/legacy.ts";
import { ActionQueue } from "../../src/input/action-queue.ts";
import type { MessageQueueDeps } from "../../src/input/message-queue.ts";
import type { Ledger } from "../../src/ledger/ledger.ts";
import { createLog } from "../../src/lib/log.ts";
import { ALLOWED_KEYS } from "../../src/protocol/input.ts";
import type { PaneKind, PaneState } from "../../src/protocol/pane.ts";
import type { InputStep, ListedPane, SendGuard } from "../../src/terminal/provider.ts";
import type { PaneReading } from "../../src/terminal/reading.ts";
import { detectInput, prompt } from "../support/detect-input.ts";
import { listedPane, pane } from "../support/pane.ts";
import { memoryLedger } from "../support/in-memory.ts";

/** `lines` is the whole screen. */
export interface SimulatedScreen {
  lines: string[];
  prompt?: Prompt | null;
  kind?: PaneKind;
  status?: PaneState["status"];
  keepsPrevious?: boolean;
  isUnsettled?: boolean;
  composer?: Composer | null;
  terminal?: TerminalUse | null;
  /** The published state, where it differs from the screen. */
  state?: PaneState;
}

export interface SimulatedSend {
  id: string;
  /** Keys as `<Enter>`, text as it is. */
  input: string;
  /** The send compared the screen. */
  guarded: boolean;
}

/** Draws a dialog: evidence, question, then one row per option. */
export function dialog(
  question: string,
  options: PromptOption[],
  more: Partial<Prompt> = {},
): { lines: string[]; prompt: Prompt } {
  const rows = options.map((o) => `${o.selected ? "❯" : " "} ${o.key}. ${o.label}`);
  const evidence = more.evidence ?? [];
  const plain = { parser: "test", recognised: true, questionLine: evidence.length };
  return {
    lines: [...evidence, question, ...rows],
    prompt: prompt(question, { ...plain, evidence, options, ...more }),
  };
}

const LISTED_PID = 100;

/** Panes whose programs are functions from the input to the next screen. */
export class SimulatedPanes {
  readonly sent: SimulatedSend[] = [];
  readonly acted: string[] = [];
  /** The question and label of each chosen option. */
  readonly choices: string[] = [];
  /** The outcome of every send. */
  outcome: "sent" | "unknown" = "sent";
  readonly pauses: number[] = [];
  readonly log: string[] = [];
  /** The screen of the last pass in every pane, where a machine compares it before it sends. */
  lastReading: SimulatedScreen | null = null;
  readings = 0;
  readonly hub: MessageQueueDeps["hub"];
  readonly queue: ActionQueue;
  readonly legacy: LegacyInput;
  readonly guarded: GuardedInput;
  /** Advanced by pauses and by tests. */
  timeMs = 0;
  /** A reading fails with the error that it throws. */
  beforeRead: () => void = () => {};
  /** May change the screen before the guard is compared. */
  beforeSend: (id: string) => void | Promise<void> = () => {};
  onPause: (ms: number) => void | Promise<void> = () => {};
  input: "legacy" | "guarded_v1" = "legacy";
  /** False where not every machine was read since the pane was unlisted. */
  isGoneForCertain = true;
  /** False: a pane that no pass has listed yet. */
  isListed: (id: string) => boolean = () => true;
  /** Members of a listed pane that differ from the default. */
  listedAs: (id: string) => Partial<ListedPane> = () => ({});
  /** The foreground program of every pane. */
  command = "sh";
  /** The process id in every pane. */
  pid = LISTED_PID;
  readonly #panes = new Map<string, SimulatedScreen>();
  readonly #programs = new Map<string, (input: string) => SimulatedScreen | null>();

  constructor(readonly ledger: Ledger = memoryLedger()) {
    const panes = this;
    const hub = {
      get current() {
        return {
          panes: panes.published ?? [...panes.#panes.keys()].map((id) => panes.state(id)),
        };
      },
      isGone: () => this.isGoneForCertain,
      resolve: (wanted: string) =>
        this.#listed().find(({ id, target }) => id === wanted || target === wanted) ?? null,
    };
    this.hub = hub;
    const log = createLog((line) => this.log.push(line));
    this.queue = new ActionQueue({
      ledger: this.ledger,
      machines: {
        of: () => ({
          provider: { send: (id, steps, guard) => this.#send(id, steps, guard) },
          poller: {
            read: async (id) => {
              this.readings += 1;
              this.beforeRead();
              return this.#panes.has(id) ? this.#reading(id) : null;
            },
            lastReading: (id) => {
              const { lastReading } = this;
              return (
                lastReading && { ...this.#reading(id, lastReading), passText: textOf(lastReading) }
              );
            },
            noteAction: (id) => void this.acted.push(id),
          },
        }),
      },
      hub,
      pause: async (ms) => {
        this.pauses.push(ms);
        this.timeMs += ms;
        await this.onPause(ms);
      },
      log,
      nowMs: () => this.timeMs,
      noteChoice: ({ prompt }, label) => void this.choices.push(`${prompt?.question} ${label}`),
    });
    this.guarded = new GuardedInput({
      provider: {},
      hub: { current: { sights: [] } },
      queue: this.queue,
      health: () => ({
        ...{ status: "ready", last_success_at: 0, last_error: null },
        ...{ protocol: null, version: null },
      }),
    });
    this.legacy = new LegacyInput({
      provider: {
        get capabilities() {
          return panes.#capabilities;
        },
        isPaneId: (id) => /^%\d+$/.test(id),
      },
      queue: this.queue,
      log,
    });
  }

  get #capabilities(): PaneState["capabilities"] {
    return { ...pane().capabilities, input: this.input, keys: [...ALLOWED_KEYS] };
  }

  /** The published states, where they are older than the screens. */
  published: PaneState[] | null = null;

  show(id: string, shown: SimulatedScreen): void {
    this.#panes.set(id, shown);
  }

  lose(id: string): void {
    this.#panes.delete(id);
  }

  /** `program` gets the input of each send; null leaves the screen as it is. */
  program(id: string, program: (input: string) => SimulatedScreen | null): void {
    this.#programs.set(id, program);
  }

  inputs(): string[] {
    return this.sent.map((sent) => sent.input);
  }

  state(id: string, shown = this.#panes.get(id) ?? { lines: [] }): PaneState {
    if (shown.state) return shown.state;
    const { kind = "agent_a", status, prompt = null, lines } = shown;
    return pane({
      id,
      kind,
      lines,
      status: status ?? (prompt ? "needs_input" : "idle"),
      question: prompt?.question ?? null,
      menu: (prompt?.options ?? []).map(({ answer: _, answerWithText: __, ...shown }) => shown),
      legacy_guard: fingerprints(prompt),
    });
  }

  #listed(): ListedPane[] {
    const capabilities = this.#capabilities;
    return [...this.#panes.keys()]
      .filter(this.isListed)
      .map((id) => ({ ...listed(id), ...this.listedAs(id), capabilities }));
  }

  async #send(id: string, steps: readonly InputStep[], guard: SendGuard | null) {
    await this.beforeSend(id);
    const shown = this.#panes.get(id);
    const holds = (text: string) => shown?.lines.some((line) => line.includes(text)) ?? false;
    if (guard && (guard.identity !== identityOf(id, this.pid) || !guard.contains.every(holds)))
      return "refused" as const;
    if ((guard?.command ?? this.command) !== this.command) return "refused" as const;
    if (guard?.screen && shown && guard.screen.text !== textOf(shown)) return "refused" as const;
    const input = steps.map((step) => (step.do === "key" ? `<${step.key}>` : step.text)).join("");
    this.sent.push({ id, input, guarded: guard !== null && guard.contains.length > 0 });
    const next = this.#programs.get(id)?.(input);
    if (next) this.show(id, next);
    return this.outcome;
  }

  #reading(id: string, shown = this.#panes.get(id) ?? { lines: [] }): PaneReading {
    return {
      pane: { ...listed(id), identity: identityOf(id, this.pid), command: this.command },
      state: this.state(id, shown),
      prompt: shown.prompt ?? null,
      composer: shown.composer ?? null,
      terminal: shown.terminal ?? null,
      screen: { lines: shown.lines.map((text) => ({ text, runs: [] })) },
      finding: {
        ...detect(detectInput(shown.lines), NO_PATTERNS),
        keepsPrevious: shown.keepsPrevious ?? false,
      },
      isUnsettled: shown.isUnsettled ?? false,
      lineAge: 0,
    };
  }
}

const textOf = ({ lines }: SimulatedScreen): string => lines.join("\n");

function identityOf(id: string, pid: number): string {
  return `server/${id}/${pid}`;
}

function listed(id: string): ListedPane {
  return listedPane({
    id,
    identity: identityOf(id, LISTED_PID),
    target: `main:${id.slice(1)}.0`,
    window: "main",
    hierarchy: [
      { kind: "window", id: "@1", label: "main", position: 0 },
      { kind: "pane", id, label: "", position: 0 },
    ],
    names: { session: "main", windowIndex: "0", paneIndex: "0" },
  });
}
