import { callsOfB } from "./calls-b.ts";
import type { LogEvent, MessageEvent, PlanLine, TurnEvent } from "../events.ts";
import {
  blocksText,
  field,
  type Fields,
  fieldsOf,
  limitIn,
  listField,
  numberOf,
  parseFields,
  partOf,
  planStatus,
  questionsOf,
  type RuntimeReader,
  textField,
  timeOf,
} from "./reader.ts";

const SILENT =
  /^\{"timestamp":"[^"]*",(?:"ordinal":\d+,)?"type":"(?:world_state|turn_context|token_usage_record|compacted|response_item","payload":\{"type":"(?:reasoning|additional_tools|ghost_snapshot)|event_msg","payload":\{"type":"(?:thread_settings_applied|agent_reasoning|exec_command_output_delta))"/;

const RESULT =
  /"type":"(?:response_item","payload":\{"type":"(?:function_call_output|custom_tool_call_output)|event_msg","payload":\{"type":"(?:exec_command_end|mcp_tool_call_end|item_completed".{0,200}"item":\{"type":"(?:CommandExecution|McpToolCall|FileChange|WebSearch)))"/;

/** Beginnings of what the program adds in the role of the user. */
const INJECTED =
  /^\s*(<(environment_context|user_instructions|INSTRUCTIONS|user_shell_command|turn_aborted|permissions instructions|collaboration_mode|skill|subagent_notification|proposed_plan|user_action|personality_spec)\b|# AGENTS\.md instructions)/;
/** Kinds of content that a person typed, where the runtime names kinds. */
const TYPED_KINDS = ["user.text", "user.image", "user.local_image", "unknown"];

/** Codex: every line is `{timestamp, ordinal, type, payload}`. */
export const agentB: RuntimeReader = {
  runtime: "agent_b",
  keepsIdsInCopies: false,
  silent: SILENT,
  result: RESULT,
  read,
  calls: callsOfB,
};

function read(record: Fields): LogEvent[] {
  const payload = partOf(record, "payload");
  const at = timeOf(record);
  switch (textField(record, "type")) {
    case "session_meta":
      return sessionEvents(payload, at);
    case "event_msg":
      return messageEvents(record, payload, at);
    case "response_item":
      return itemEvents(record, payload, at);
    default:
      return [];
  }
}

function sessionEvents(meta: Fields | null, at: number | null): LogEvent[] {
  const nativeId = textField(meta, "id");
  if (!nativeId) return [];
  const source = field(meta, "source");
  const isSubagent =
    textField(meta, "thread_source") === "subagent" ||
    partOf(partOf(meta, "source"), "subagent") !== null;
  const events: LogEvent[] = [
    {
      kind: "session",
      at,
      nativeId,
      cwd: textField(meta, "cwd"),
      startedAt: timeOf(meta),
      forkedFrom: textField(meta, "forked_from_id"),
      isTyped: source !== "exec" && !isSubagent,
      isSubagent,
      version: textField(meta, "cli_version"),
    },
  ];
  const base = partOf(meta, "history_base");
  const ordinal = numberOf(base, "end_ordinal_exclusive");
  // Of another thread it is a fork, whose messages stay in that thread's log.
  if (ordinal !== null && textField(base, "thread_id") === nativeId) {
    events.push({ kind: "rewind", at, to: { before: "ordinal", ordinal } });
  }
  return events;
}

function messageEvents(record: Fields, payload: Fields | null, at: number | null): LogEvent[] {
  switch (textField(payload, "type")) {
    case "item_completed":
      return completedItem(record, partOf(payload, "item"), at);
    case "user_message": {
      const text = textField(payload, "message") ?? "";
      return [...saidBy("user", record, text, "event", null), turn(at, "working", true)];
    }
    case "agent_message":
      return saidBy("assistant", record, textField(payload, "message") ?? "", "event", null);
    case "task_started":
    case "turn_started":
      return [turn(at, "working")];
    case "task_complete":
    case "turn_complete": {
      const error = partOf(payload, "error");
      return error === null ? [turn(at, "idle")] : [turn(at, "error"), ...limitEvents(error, at)];
    }
    case "token_count":
      return usageEvents(partOf(payload, "info"), at);
    case "turn_aborted":
      return [turn(at, "idle")];
    case "thread_rolled_back": {
      const count = numberOf(payload, "num_turns") ?? 0;
      return [{ kind: "rewind", at, to: { before: "prompts", count } }];
    }
    case "thread_name_updated": {
      const text = textField(payload, "thread_name");
      return text ? [{ kind: "title", at, text, chosen: true }] : [];
    }
    default:
      return [];
  }
}

function limitEvents(error: Fields, at: number | null): LogEvent[] {
  if (textField(error, "codex_error_info") !== "usage_limit_exceeded") return [];
  return [limitIn(textField(error, "message") ?? "", at)];
}

function usageEvents(info: Fields | null, at: number | null): LogEvent[] {
  const tokens = numberOf(partOf(info, "last_token_usage"), "total_tokens");
  const window = numberOf(info, "model_context_window");
  return tokens === null || window === null ? [] : [{ kind: "usage", at, tokens, window }];
}

function completedItem(record: Fields, item: Fields | null, at: number | null): LogEvent[] {
  const text = blocksText(listField(item, "content"), ["text", "Text"]);
  const id = textField(item, "id");
  switch (textField(item, "type")) {
    case "UserMessage":
      return [...saidBy("user", record, text, "item", id), turn(at, "working", true)];
    case "AgentMessage":
      return saidBy("assistant", record, text, "item", id);
    default:
      return [];
  }
}

function itemEvents(record: Fields, payload: Fields | null, at: number | null): LogEvent[] {
  switch (textField(payload, "type")) {
    case "message":
      return fallbackMessage(record, payload, at);
    case "function_call":
    case "custom_tool_call":
    case "local_shell_call":
      return callEvents(payload, at);
    case "function_call_output":
    case "custom_tool_call_output":
      return outputEvents(payload, at);
    default:
      return [];
  }
}

/** Twins of the visible messages, and much else; they count only in logs without event messages. */
function fallbackMessage(record: Fields, payload: Fields | null, at: number | null): LogEvent[] {
  const role = textField(payload, "role");
  const text = blocksText(listField(payload, "content"), ["input_text", "output_text", "text"]);
  const kinds = listField(
    partOf(payload, "internal_chat_message_metadata_passthrough"),
    "content_item_kinds",
  );
  const isInjected =
    INJECTED.test(text) ||
    kinds.some((kind) => typeof kind !== "string" || !TYPED_KINDS.includes(kind));
  // 0.60.1 has no record of a turn's end: this is written when the reply is whole.
  const end = role === "assistant" ? [turn(at, "idle", true)] : [];
  if ((role !== "user" && role !== "assistant") || isInjected) return end;
  const id = textField(payload, "id");
  return [...saidBy(role, record, text, "response", id, true), ...end];
}

function saidBy(
  role: "user" | "assistant",
  record: Fields,
  text: string,
  source: string,
  nativeId: string | null,
  isFallback = false,
): MessageEvent[] {
  if (text.trim() === "" || (role === "user" && INJECTED.test(text))) return [];
  return [
    {
      kind: "message",
      at: timeOf(record),
      role,
      text,
      nativeId,
      source,
      isFallback,
      parentId: null,
      ordinal: numberOf(record, "ordinal"),
      marksRewinds: true,
      isCopied: false,
    },
  ];
}

function callEvents(call: Fields | null, at: number | null): LogEvent[] {
  const id = textField(call, "call_id");
  if (id === null) return [];
  const args = parseFields(textField(call, "arguments") ?? "");
  const name = textField(call, "name");
  if (name === "request_user_input") {
    const questions = questionsOf(args);
    if (questions.length > 0) return [{ kind: "question", at, id, questions }];
  }
  const open: LogEvent = { kind: "tool", at, id, open: true };
  if (name !== "update_plan") return [open];
  return [{ kind: "plan", at, lines: listField(args, "plan").map(fieldsOf).flatMap(lineOf) }, open];
}

function lineOf(fields: Fields | null): PlanLine[] {
  const title = textField(fields, "step");
  if (title === null) return [];
  return [{ id: null, title, status: planStatus(textField(fields, "status")) }];
}

function outputEvents(output: Fields | null, at: number | null): LogEvent[] {
  const id = textField(output, "call_id");
  if (id === null) return [];
  const answers = partOf(parseFields(textField(output, "output") ?? ""), "answers");
  return [
    { kind: "answer", at, id, answers: answers === null ? null : chosenIn(answers) },
    { kind: "tool", at, id, open: false },
  ];
}

/** Question id -> label; a note of the person stands beside the label and is none. */
function chosenIn(answers: Fields): Record<string, string> {
  const chosen: [string, string][] = [];
  for (const id of Object.keys(answers)) {
    const labels = listField(partOf(answers, id), "answers").filter(
      (each) => typeof each === "string" && !each.startsWith("user_note: "),
    );
    if (labels.length > 0) chosen.push([id, labels.join(", ")]);
  }
  return Object.fromEntries(chosen);
}

function turn(at: number | null, state: TurnEvent["state"], isGuess = false): TurnEvent {
  return { kind: "turn", at, state, isGuess };
}
