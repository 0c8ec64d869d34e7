import type {
  CalledStep,
  CallEnd,
  LogEvent,
  MessageEvent,
  PlanLine,
  TurnEvent,
} from "../events.ts";
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

/** Questions and plans are told as such; to wait for another agent is no step of its own. */
const UNTOLD: ReadonlySet<string> = new Set([
  ...["request_user_input", "update_plan", "wait_agent", "wait", "write_stdin", "send_input"],
]);
const SHELLS: ReadonlySet<string> = new Set([
  ...["exec_command", "shell", "shell_command", "local_shell", "container.exec"],
]);
/** What a script of the newer versions runs. */
const IN_SCRIPT = /"cmd"\s*:\s*("(?:[^"\\]|\\.)*")/;
const EXIT = /(?:"exit_code":|Exit code: |exited with code )(-?\d+)/;
const DENIED = /rejected by user|aborted by user|denied by the user/i;
/** So much of an output tells how it ended. */
const HEAD = 2000;

/** Codex: every line is `{timestamp, ordinal, type, payload}`. */
export const agentB: RuntimeReader = {
  runtime: "agent_b",
  keepsIdsInCopies: false,
  silent: SILENT,
  result: RESULT,
  read,
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
    case "exec_command_end":
      return commandOf(payload, textField(payload, "call_id"), at);
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
    case "CommandExecution":
      return commandOf(item, id, at);
    case "FileChange":
      return editOf(item, id, at);
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
    case "web_search_call":
      return searchEvents(payload, at);
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
  const id = textField(call, "call_id") ?? textField(call, "id");
  if (id === null) return [];
  const args = parseFields(textField(call, "arguments") ?? "");
  const name = textField(call, "name") ?? "local_shell";
  if (name === "request_user_input") {
    const questions = questionsOf(args);
    if (questions.length > 0) return [{ kind: "question", at, id, questions }];
  }
  const open = { kind: "tool", at, id, open: true } as const;
  if (name === "update_plan") {
    const lines = listField(args, "plan").map(fieldsOf).flatMap(lineOf);
    return [{ kind: "plan", at, lines }, open];
  }
  if (UNTOLD.has(name)) return [open];
  const steps = () => stepsOf(name, call, args ?? partOf(call, "action"));
  return [{ ...open, steps, isWrapper: name === "exec" }];
}

function lineOf(fields: Fields | null): PlanLine[] {
  const title = textField(fields, "step");
  if (title === null) return [];
  return [{ id: null, title, status: planStatus(textField(fields, "status")) }];
}

function outputEvents(output: Fields | null, at: number | null): LogEvent[] {
  const id = textField(output, "call_id") ?? textField(output, "id");
  if (id === null) return [];
  const end = (): CallEnd => ({ state: stateOf(field(output, "output")) });
  const answers = partOf(parseFields(textField(output, "output") ?? ""), "answers");
  return [
    { kind: "answer", at, id, answers: answers === null ? null : chosenIn(answers) },
    { kind: "tool", at, id, open: false, end },
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

/** What a call is to do, by its tool. */
function stepsOf(name: string, call: Fields | null, args: Fields | null): CalledStep[] {
  const input = textField(call, "input") ?? "";
  if (name === "apply_patch") return editsOf(input);
  if (name === "exec") {
    const found = IN_SCRIPT.exec(input)?.[1];
    return [
      { kind: "run", title: found === undefined ? firstOf(input) : String(JSON.parse(found)) },
    ];
  }
  if (SHELLS.has(name)) {
    const command = commandIn(field(args, "cmd") ?? field(args, "command"));
    const edits = editsOf(command);
    return edits.length > 0 ? edits : [{ kind: "run", title: command }];
  }
  if (name === "spawn_agent")
    return [
      { kind: "task", title: textField(args, "task_name") ?? textField(args, "message") ?? "" },
    ];
  if (name === "view_image")
    return [{ kind: "read", title: textField(args, "path") ?? "", isPath: true }];
  return [{ kind: "other", title: name }];
}

const firstOf = (text: string): string => text.split("\n").find((line) => line.trim() !== "") ?? "";

/** What a shell is told, without the shell. */
function commandIn(command: unknown): string {
  if (typeof command === "string") return command;
  if (!Array.isArray(command)) return "";
  const words = command.map(String);
  const isShell = /(^|\/)(ba|z|da)?sh$/.test(words[0] ?? "") && /^-l?c$/.test(words[1] ?? "");
  return isShell ? (words[2] ?? "") : words.join(" ");
}

/** Each file of a patch as its program writes them. */
function editsOf(text: string): CalledStep[] {
  if (!text.includes("*** Begin Patch")) return [];
  const edits: { kind: "edit"; title: string; isPath: true; added: number; removed: number }[] = [];
  for (const line of text.split("\n")) {
    const path = /^\*\*\* (?:Add|Update|Delete) File: (.+)$/.exec(line)?.[1];
    if (path !== undefined)
      edits.push({ kind: "edit", title: path, isPath: true, added: 0, removed: 0 });
    const last = edits.at(-1);
    if (last !== undefined && line.startsWith("+")) last.added += 1;
    if (last !== undefined && line.startsWith("-")) last.removed += 1;
  }
  return edits;
}

/** Each file of a change that was made. */
function editOf(item: Fields | null, id: string | null, at: number | null): LogEvent[] {
  if (id === null) return [];
  const changes = field(item, "changes");
  const listed = Array.isArray(changes)
    ? changes.map(fieldsOf)
    : Object.entries(fieldsOf(changes) ?? {}).map(([path, change]) => ({
        ...fieldsOf(change),
        path,
      }));
  const steps = listed.map((change): CalledStep => {
    const text = textField(change, "unified_diff") ?? textField(change, "diff") ?? "";
    const lines = text.split("\n");
    const count = (sign: string) =>
      lines.filter((line) => line.startsWith(sign) && !line.startsWith(sign.repeat(3))).length;
    const title = textField(change, "path") ?? "";
    return { kind: "edit", title, isPath: true, added: count("+"), removed: count("-") };
  });
  const state = textField(item, "status") === "failed" ? "failed" : "done";
  return [{ kind: "call", id, at, steps, state }];
}

function searchEvents(search: Fields | null, at: number | null): LogEvent[] {
  const id = textField(search, "call_id") ?? textField(search, "id");
  const title = textField(partOf(search, "action"), "query") ?? "";
  return id === null
    ? []
    : [{ kind: "call", id, at, steps: [{ kind: "web", title }], state: "done" }];
}

/** A command with what its program takes it for: a look at files, a search. */
function commandOf(told: Fields | null, id: string | null, at: number | null): LogEvent[] {
  if (id === null) return [];
  const status = textField(told, "status") ?? "";
  const exit = numberOf(told, "exit_code") ?? 0;
  const state =
    status === "declined" ? "denied" : exit === 0 && status !== "failed" ? "done" : "failed";
  const parsed = listField(told, "parsed_cmd").map(fieldsOf);
  const steps = [stepOf(parsed, commandIn(field(told, "command")))];
  return [{ kind: "call", id, at, steps, state }];
}

function stepOf(parsed: readonly (Fields | null)[], command: string): CalledStep {
  const types = new Set(parsed.map((each) => textField(each, "type")));
  const first = parsed[0] ?? null;
  const path = textField(first, "path") ?? textField(first, "name") ?? "";
  if (types.size === 1 && types.has("read")) return { kind: "read", title: path, isPath: true };
  if (types.size === 1 && types.has("search"))
    return { kind: "search", title: textField(first, "query") ?? command };
  return { kind: "run", title: command };
}

function stateOf(output: unknown): CallEnd["state"] {
  const blocks = Array.isArray(output)
    ? output.map((each) => textField(fieldsOf(each), "text"))
    : [];
  const text = (typeof output === "string" ? output : blocks.join("\n")).slice(0, HEAD);
  if (DENIED.test(text)) return "denied";
  const exit = EXIT.exec(text)?.[1];
  return exit === undefined || exit === "0" ? "done" : "failed";
}
