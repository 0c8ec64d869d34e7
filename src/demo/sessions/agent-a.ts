import type { PlanRequest, QuestionRequest } from "../requests.ts";
import type { Entry, LogFormat, SessionFacts } from "./entry.ts";

const VERSION = "2.1.330";

/** A session log as Claude Code writes it: each record names the one before it. */
export class AgentALog implements LogFormat {
  readonly path: string;
  readonly #facts: SessionFacts;
  #parent: string | null = null;
  /** The call that waits for its result. */
  #call = "";

  constructor(facts: SessionFacts) {
    this.#facts = facts;
    this.path = `projects/${facts.cwd.replace(/[^A-Za-z0-9]/g, "-")}/${facts.id}.jsonl`;
  }

  open(): object[] {
    return [{ type: "mode", mode: "normal", sessionId: this.#facts.id }];
  }

  records(entry: Entry): object[] {
    switch (entry.kind) {
      case "prompt":
        return [this.#typed(entry.text)];
      case "says":
        return [this.#replied({ type: "text", text: entry.text })];
      case "plan":
        return this.#planned(entry.lines);
      case "asks":
        return [this.#called("AskUserQuestion", { questions: [questionOf(entry.request)] })];
      case "runs":
        return [
          this.#called("Bash", {
            command: entry.request.command,
            description: entry.request.about,
          }),
        ];
      case "answered": {
        const answers = { [entry.request.question]: entry.answer.label };
        const questions = [questionOf(entry.request)];
        return [this.#result("answered", { questions, answers, annotations: {} })];
      }
      case "proposes":
        return [
          this.#called("ExitPlanMode", {
            plan: planText(entry.request),
            planFilePath: `~/.claude/plans/${entry.request.file}`,
          }),
        ];
      case "approved": {
        const plan = planText(entry.request);
        return [this.#result("User has approved your plan.", { plan, isAgent: false })];
      }
      case "sent_back":
        return [this.#result(`To be changed: ${entry.words}`, "declined", true)];
      case "ran":
        return [this.#result("done", { stdout: "", stderr: "", interrupted: false })];
      case "declined":
        return this.#declined();
      case "limited":
        return [this.#limited(entry.notice, entry.resetsAt)];
      case "fills":
        return [];
      case "rests":
        return [this.#record("system", { subtype: "turn_duration", durationMs: 1, isMeta: false })];
    }
  }

  #typed(text: string): object {
    const message = { role: "user", content: text };
    const origin = { kind: "human" };
    return this.#record("user", { message, origin, promptSource: "typed" });
  }

  #replied(block: object): object {
    return this.#record("assistant", {
      message: {
        ...{ id: `msg_${this.#facts.newId()}`, type: "message", role: "assistant" },
        ...{ model: "sample", content: [block], stop_reason: "tool_use", stop_sequence: null },
      },
    });
  }

  #limited(text: string, resetsAt: number): object {
    return this.#record("assistant", {
      isApiErrorMessage: true,
      error: "rate_limit",
      quotaLimits: { status: "rejected", resetsAt, rateLimitType: "five_hour" },
      message: {
        ...{ id: this.#facts.newId(), type: "message", role: "assistant", model: "<synthetic>" },
        ...{ content: [{ type: "text", text }], stop_reason: "stop_sequence", stop_sequence: "" },
      },
    });
  }

  #called(name: string, input: object): object {
    this.#call = `toolu_${this.#facts.newId()}`;
    return this.#replied({ type: "tool_use", id: this.#call, name, input });
  }

  #result(content: string, toolUseResult: object | string, isError = false): object {
    const block = { type: "tool_result", content, tool_use_id: this.#call };
    const message = { role: "user", content: [isError ? { ...block, is_error: true } : block] };
    return this.#record("user", { message, toolUseResult });
  }

  #planned(lines: readonly { title: string; status: string }[]): object[] {
    const todos = lines.map(({ title, status }) => ({ content: title, status, activeForm: title }));
    return [this.#called("TodoWrite", { todos }), this.#result("done", { newTodos: todos })];
  }

  #declined(): object[] {
    const text = "[Request interrupted by user for tool use]";
    const message = { role: "user", content: [{ type: "text", text }] };
    return [this.#result("declined", "declined", true), this.#record("user", { message })];
  }

  #record(type: string, more: object): object {
    const { id, cwd, nowMs, newId } = this.#facts;
    const uuid = newId();
    const record = {
      ...{ parentUuid: this.#parent, isSidechain: false, type, ...more, uuid },
      ...{ timestamp: new Date(nowMs()).toISOString(), userType: "external", entrypoint: "cli" },
      ...{ cwd, sessionId: id, version: VERSION, gitBranch: "main" },
    };
    this.#parent = uuid;
    return record;
  }
}

function questionOf({ question, topic, choices }: QuestionRequest): object {
  return { question, header: topic, multiSelect: false, options: choices };
}

function planText({ title, lines }: PlanRequest): string {
  const numbered = lines.map((line, index) => `${index + 1}. ${line}`);
  return [`# ${title}`, "", ...numbered, ""].join("\n");
}
