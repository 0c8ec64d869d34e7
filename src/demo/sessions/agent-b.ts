import type { Entry, LogFormat, PlanLine, SessionFacts } from "./entry.ts";

const VERSION = "0.169.0";

/** A session log as Codex writes it: every record has its number and stands in a turn. */
export class AgentBLog implements LogFormat {
  readonly path: string;
  readonly #facts: SessionFacts;
  #ordinal = 0;
  #turn = "";

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

  /** Its sample asks nothing: those entries leave no record. */
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
      case "rests":
        return [this.#event({ type: "task_complete", turn_id: this.#turn })];
      case "asks":
      case "runs":
      case "answered":
      case "ran":
      case "declined":
        return [];
    }
  }

  #item(type: string, content: object): object {
    const item = { type, id: this.#facts.newId(), content: [content] };
    const thread = { thread_id: this.#facts.id, turn_id: this.#turn };
    return this.#event({ type: "item_completed", ...thread, item });
  }

  #planned(lines: readonly PlanLine[]): object[] {
    const call_id = `call_${this.#facts.newId()}`;
    const plan = lines.map(({ title, status }) => ({ step: title, status }));
    const call = {
      type: "function_call",
      name: "update_plan",
      arguments: JSON.stringify({ plan }),
    };
    const output = { type: "function_call_output", call_id, output: "Plan updated" };
    return [
      this.#record("response_item", { ...call, call_id }),
      this.#record("response_item", output),
    ];
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
