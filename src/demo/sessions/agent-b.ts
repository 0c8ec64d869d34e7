import type { Answer } from "../agent.ts";
import type { QuestionRequest } from "../requests.ts";
import type { Entry, LogFormat, PlanLine, SessionFacts } from "./entry.ts";

const VERSION = "0.169.0";
/** Tokens. */
const CONTEXT_WINDOW = 272_000;

/** A session log as Codex writes it: every record has its number and stands in a turn. */
export class AgentBLog implements LogFormat {
  readonly path: string;
  readonly #facts: SessionFacts;
  #ordinal = 0;
  #turn = "";
  /** The call that waits for an answer. */
  #call = "";

  constructor(facts: SessionFacts) {
    this.#facts = facts;
    const at = new Date(facts.nowMs()).toISOString().slice(0, 19);
    const day = at.slice(0, 10).replaceAll("-", "/");
    this.path = `sessions/${day}/rollout-${at.replaceAll(":", "-")}-${facts.id}.jsonl`;
  }

  open(): object[] {
    const { id, cwd } = this.#facts;
    return [
      this.#record("session_meta", {
        ...{ session_id: id, id, timestamp: this.#timestamp(), cwd, originator: "codex-tui" },
        ...{ cli_version: VERSION, source: "cli", thread_source: "user", model_provider: "sample" },
      }),
    ];
  }

  /** Its samples ask nothing but questions: other requests leave no record. */
  records(entry: Entry): object[] {
    switch (entry.kind) {
      case "prompt":
        this.#turn = this.#facts.newId();
        return [
          this.#event({ type: "task_started", turn_id: this.#turn }),
          this.#item("UserMessage", { type: "text", text: entry.text }),
        ];
      case "says":
        return [this.#item("AgentMessage", { type: "Text", text: entry.text })];
      case "plan":
        return this.#planned(entry.lines);
      case "asks":
        return this.#asked(entry.request);
      case "answered":
        return [this.#output(this.#call, JSON.stringify(answersOf(entry.request, entry.answer)))];
      case "declined":
        return this.#aborted();
      case "fills": {
        const total_tokens = Math.round((entry.percent / 100) * CONTEXT_WINDOW);
        const info = { last_token_usage: { total_tokens }, model_context_window: CONTEXT_WINDOW };
        return [this.#event({ type: "token_count", info })];
      }
      case "rests":
        // A turn that was interrupted has its end already.
        return this.#turn === ""
          ? []
          : [this.#event({ type: "task_complete", turn_id: this.#turn })];
      case "runs":
      case "limited":
      case "ran":
      case "proposes":
      case "approved":
      case "sent_back":
        return [];
    }
  }

  #asked(request: QuestionRequest): object[] {
    const { question, topic: header, choices: options } = request;
    const asked = { id: idOf(request), header, question, options };
    this.#call = `call_${this.#facts.newId()}`;
    return [this.#calls("request_user_input", { questions: [asked] }, this.#call)];
  }

  #aborted(): object[] {
    const aborted = { type: "turn_aborted", turn_id: this.#turn, reason: "interrupted" };
    this.#turn = "";
    return [this.#event(aborted)];
  }

  #item(type: string, content: object): object {
    const item = { type, id: this.#facts.newId(), content: [content] };
    const thread = { thread_id: this.#facts.id, turn_id: this.#turn };
    return this.#event({ type: "item_completed", ...thread, item });
  }

  #planned(lines: readonly PlanLine[]): object[] {
    const call_id = `call_${this.#facts.newId()}`;
    const plan = lines.map(({ title, status }) => ({ step: title, status }));
    return [this.#calls("update_plan", { plan }, call_id), this.#output(call_id, "Plan updated")];
  }

  #calls(name: string, args: object, call_id: string): object {
    const call = { type: "function_call", name, arguments: JSON.stringify(args), call_id };
    return this.#record("response_item", call);
  }

  #output(call_id: string, output: string): object {
    return this.#record("response_item", { type: "function_call_output", call_id, output });
  }

  #event(payload: object): object {
    return this.#record("event_msg", payload);
  }

  #record(type: string, payload: object): object {
    return { timestamp: this.#timestamp(), ordinal: this.#ordinal++, type, payload };
  }

  #timestamp(): string {
    return new Date(this.#facts.nowMs()).toISOString();
  }
}

/** The choice under the question's id, and a note of the person beside it. */
function answersOf(request: QuestionRequest, { label, note }: Answer): object {
  const notes = note === "" ? [] : [`user_note: ${note}`];
  return { answers: { [idOf(request)]: { answers: [label, ...notes] } } };
}

function idOf({ topic }: QuestionRequest): string {
  return topic.toLowerCase();
}
