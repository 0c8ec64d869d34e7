import type { Clock } from "../lib/clock.ts";
import { menuOf, type SampleStep, type Script, stepAt } from "./scripts.ts";
import type { SessionEntry } from "./session-file.ts";

export interface AgentState {
  phase: "working" | "asking" | "idle";
  /** Monotonic seconds. */
  since: number;
  /** The current step, counted over all rounds. */
  place: number;
  prompt: string;
  messages: readonly string[];
  /** It works on a message of the person, not on its step. */
  isOnMessage: boolean;
  /** The note of its step was written. */
  isHalfway: boolean;
  /** Row of the menu that has the cursor, from 0. */
  focus: number;
  /** Written into the dialog. */
  words: string;
  /** In the input line, which comes back behind a dialog. */
  draft: string;
  /** The field for notes is open (Codex only). */
  hasNotesOpen: boolean;
  queued: readonly string[];
  /** Percent of its context; null: it does not show it. */
  contextPercent: number | null;
  /** Epoch seconds; null: no usage limit holds. */
  resetsAt: number | null;
}

/** Of a dialog when it opens. */
const NO_INPUT = { focus: 0, words: "", hasNotesOpen: false };

const START: AgentState = {
  ...{ phase: "idle", since: 0, place: 0, prompt: "", messages: [], queued: [], draft: "" },
  ...{ ...NO_INPUT, isOnMessage: false, isHalfway: false, contextPercent: null, resetsAt: null },
};

/** After a stop it goes on by itself, so that the demo stays alive. */
const IDLE_SECONDS = 20;
const MAX_MESSAGES = 6;
/** Of the context that a step fills, and where that stops. */
const STEP_PERCENT = 4;
const MAX_PERCENT = 98;

const ASKS = { permission: "runs", question: "asks", plan: "proposes" } as const;

/** Works, asks, rests and takes messages, on its screen and in its log. */
export class SampleAgent {
  readonly script: Script;
  readonly #clock: Clock;
  readonly #log: (entry: SessionEntry) => void;
  #state: AgentState = START;

  constructor(script: Script, clock: Clock, log: (entry: SessionEntry) => void) {
    this.script = script;
    this.#clock = clock;
    this.#log = log;
    const { place = 0, contextPercent = null } = script;
    this.#become({ place, contextPercent });
    if (script.isFresh) return;
    this.#begin();
    if (script.limitSeconds !== undefined) this.#rest();
    else if (this.step.ask) this.#ask();
  }

  get state(): AgentState {
    return this.#state;
  }

  get step(): SampleStep {
    return stepAt(this.script, this.#state.place).step;
  }

  /** Since its phase began. */
  get seconds(): number {
    return this.#clock.monotonic() - this.#state.since;
  }

  tick(): void {
    const { phase, prompt, draft, isOnMessage, isHalfway, queued, resetsAt } = this.#state;
    const { workSeconds, restSeconds = IDLE_SECONDS } = this.script;
    if (phase === "idle") {
      // A new agent waits for its first message, and a draft is not overwritten.
      const mayBegin = prompt !== "" && draft === "" && resetsAt === null;
      if (mayBegin && this.seconds >= restSeconds) this.#begin();
    } else if (phase === "working") {
      if (!isOnMessage && !isHalfway && this.seconds >= workSeconds / 2) {
        this.#become({ isHalfway: true });
        this.#say(this.step.note);
      }
      if (this.seconds < workSeconds) return;
      const [next, ...others] = queued;
      if (next !== undefined) {
        if (!isOnMessage && !this.step.ask) this.#next();
        this.#take(next, { queued: others, draft });
      } else if (isOnMessage) this.#goOn();
      else if (this.step.ask) this.#ask();
      else this.#next();
    }
  }

  /**
   * One key, as `Up`, `Down`, `Tab`, `Enter`, `Escape`, `Backspace`, `Clear` or the character; a line
   * break that was pasted is `\n`.
   */
  press(key: string): void {
    const { phase, draft, queued, resetsAt, hasNotesOpen } = this.#state;
    if (phase === "asking") return hasNotesOpen ? this.#pressNotes(key) : this.#pressMenu(key);
    if (phase === "working" && key === "Escape") {
      // The queue goes back to the input line.
      const texts = [...queued, draft].filter((text) => text !== "");
      this.#say("Interrupted.", { isLogged: false });
      return this.#rest({ queued: [], draft: texts.join("\n") });
    }
    if (key !== "Enter" || draft === "") return this.#become({ draft: edit(draft, key) });
    if (phase === "working") return this.#become({ queued: [...queued, draft], draft: "" });
    if (resetsAt === null || this.#clock.now() >= resetsAt) return this.#take(draft);
    // Before the reset it only shows the notice again.
    this.#write("prompt", { text: draft });
    this.#rest({ prompt: draft, draft: "" });
  }

  #pressMenu(key: string): void {
    const { focus, words } = this.#state;
    const rows = menuOf(this.step, this.script.runtime);
    const move = (by: number) => this.#become({ focus: (focus + by + rows.length) % rows.length });
    if (key === "Up") return move(-1);
    if (key === "Down") return move(1);
    if (key === "Escape") return this.#decline();
    if (key === "Tab") return this.#become({ hasNotesOpen: this.script.runtime === "agent_b" });
    if (rows[focus]?.does === "write") {
      if (key === "Enter") return words === "" ? undefined : this.#answer({ written: words });
      if (!/^\d$/.test(key) || words !== "") return this.#become({ words: edit(words, key) });
    }
    const chosen = key === "Enter" ? focus : Number(key) - 1;
    const row = rows[chosen];
    // As in the real dialog, the number of the free text only moves the cursor there.
    if (row?.does === "write") this.#become({ focus: chosen });
    else if (row?.does === "refuse") this.#decline();
    else if (row) this.#answer({ label: row.label });
  }

  #pressNotes(key: string): void {
    const { focus, words } = this.#state;
    if (key === "Tab" || key === "Escape") return this.#become({ hasNotesOpen: false, words: "" });
    if (key !== "Enter") return this.#become({ words: edit(words, key) });
    const row = menuOf(this.step, this.script.runtime)[focus];
    if (row) this.#answer({ label: row.label, note: words });
  }

  /** With a choice and perhaps a note, or with a text of the person. */
  #answer({ label = "", note = "", written = "" }): void {
    const { step } = this;
    if (step.ask === "permission") {
      this.#write("ran");
      this.#say(`Done: ${step.about.toLowerCase()}.`);
    } else if (step.ask === "question") {
      const given = note === "" ? [label || written] : [label, `user_note: ${note}`];
      this.#write("answered", { ...step, label: label || written, given });
      this.#say(note || written ? `Noted: ${note || written}` : `Going with ${label}.`);
    } else if (written !== "") {
      this.#write("sent_back", { words: written });
      this.#say("I change the plan and go on.");
    } else {
      this.#write("approved", step);
      this.#say("The plan is approved: I begin with its first line.");
    }
    this.#next();
  }

  #decline(): void {
    this.#write("declined");
    this.#say("Declined. What should happen instead?", { isLogged: false });
    // A declined request is not asked again.
    this.#rest({ place: this.#state.place + 1 });
  }

  #take(text: string, input: Partial<Pick<AgentState, "queued" | "draft">> = {}): void {
    this.#write("prompt", { text });
    this.#work({ prompt: text, messages: [], isOnMessage: true, queued: [], draft: "", ...input });
    this.#say(`You wrote: ${text}`);
  }

  /** At the start of a task, or in the middle of one. */
  #begin(): void {
    const { task } = stepAt(this.script, this.#state.place);
    const isNew = this.#state.prompt === "" || this.#beginsTask();
    const text = isNew ? task.prompt : "Go on with the next step";
    this.#write("prompt", { text });
    this.#work(isNew ? { prompt: text, messages: [] } : {});
    this.#plan();
  }

  #next(): void {
    const { place, contextPercent } = this.#state;
    this.#plan({ done: 1 });
    if (contextPercent !== null) {
      const percent = Math.min(MAX_PERCENT, contextPercent + STEP_PERCENT);
      this.#become({ contextPercent: percent });
      this.#write("fills", { percent });
    }
    this.#become({ place: place + 1 });
    if (this.#beginsTask()) this.#rest();
    else this.#work();
  }

  /** After a message of the person. */
  #goOn(): void {
    if (this.#beginsTask()) this.#rest();
    else if (this.step.ask) this.#ask();
    else this.#work();
  }

  /** Whether a rest comes before the current step. */
  #beginsTask(): boolean {
    const { restSeconds, limitSeconds } = this.script;
    const rests = restSeconds !== undefined || limitSeconds !== undefined;
    return rests && stepAt(this.script, this.#state.place).index === 0;
  }

  #work(more: Partial<AgentState> = {}): void {
    this.#phase("working", { isOnMessage: false, isHalfway: false, resetsAt: null, ...more });
  }

  #ask(): void {
    const { step } = this;
    this.#plan({ blocker: step.blocker });
    if (step.ask === "question") this.#write("says", { text: "I need a decision before I go on." });
    if (step.ask) this.#write(ASKS[step.ask], step);
    this.#phase("asking");
  }

  #rest(more: Partial<AgentState> = {}): void {
    const { limitSeconds } = this.script;
    const minute = Math.ceil(this.#clock.now() / 60) * 60;
    const current = this.#state.resetsAt;
    const resetsAt = limitSeconds === undefined ? null : (current ?? minute + limitSeconds);
    this.#phase("idle", { resetsAt, ...more });
    if (resetsAt === null) this.#write("rests");
    else this.#write("limited", { notice: limitNotice(resetsAt), resetsAt });
  }

  #say(text: string, { isLogged = true } = {}): void {
    this.#become({ messages: [...this.#state.messages, text].slice(-MAX_MESSAGES) });
    if (isLogged) this.#write("says", { text });
  }

  #plan({ done = 0, blocker }: { done?: number; blocker?: string | undefined } = {}): void {
    const { task, index } = stepAt(this.script, this.#state.place);
    const statusOf = (at: number) => {
      if (at === index + done) return "in_progress";
      return at < index + done ? "completed" : "pending";
    };
    const lines = task.steps.map(({ doing }, at) => ({ title: doing, status: statusOf(at) }));
    const blocked = blocker === undefined ? [] : [{ title: blocker, status: "blocked" }];
    this.#write("plan", { lines: [...lines, ...blocked] });
  }

  #phase(phase: AgentState["phase"], more: Partial<AgentState> = {}): void {
    this.#become({ phase, since: this.#clock.monotonic(), ...NO_INPUT, ...more });
  }

  #become(more: Partial<AgentState>): void {
    this.#state = { ...this.#state, ...more };
  }

  #write(kind: string, parts: object = {}): void {
    this.#log({ ...parts, kind });
  }
}

export function limitNotice(resetsAt: number): string {
  const [hour = 0, minute = 0] = new Date(resetsAt * 1000).toISOString().slice(11, 16).split(":");
  const half = Number(hour) < 12 ? "am" : "pm";
  return `You've hit your 5-hour limit · resets ${Number(hour) % 12 || 12}:${minute}${half} (UTC)`;
}

function edit(text: string, key: string): string {
  if (key === "Backspace") return [...text].slice(0, -1).join("");
  if (key === "Clear") return "";
  const isText = key === "\n" || ([...key].length === 1 && !/\p{Cc}/u.test(key));
  return isText ? text + key : text;
}
