import { parseJson } from "../../../lib/json.ts";
import type { CalledStep, CallEnd, LogFact } from "../events.ts";
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
  planLines,
  questionsOf,
  type RuntimeReader,
  textField,
  timeOf,
  turn,
} from "./reader.ts";

const SILENT =
  /^\{"timestamp":"[^"]*",(?:"ordinal":\d+,)?"type":"(?:world_state|turn_context|token_usage_record|compacted|response_item","payload":\{"type":"(?:reasoning|additional_tools|ghost_snapshot)|event_msg","payload":\{"type":"(?:thread_settings_applied|agent_reasoning|exec_command_output_delta))"/;

const RESULT =
  /"type":"(?:response_item","payload":\{"type":"(?:function_call_output|custom_tool_call_output)|event_msg","payload":\{"type":"(?:exec_command_end|mcp_tool_call_end|item_completed".{0,200}"item":\{"type":"(?:CommandExecution|McpToolCall|FileChange|WebSearch)))"/;

const INJECTED =
  /^\s*(<(environment_context|user_instructions|INSTRUCTIONS|user_shell_command|turn_aborted|permissions instructions|collaboration_mode|skill|subagent_notification|proposed_plan|user_action|personality_spec)\b|# AGENTS\.md instructions)/;
/** Kinds of content that a person typed; older versions name no kinds. */
const TYPED_KINDS = ["user.text", "user.image", "user.local_image", "unknown"];

/** Questions and plans have events of their own; to wait for another agent is no step. */
const HIDDEN_TOOLS: ReadonlySet<string> = new Set([
  ...["request_user_input", "update_plan", "wait_agent", "wait", "write_stdin", "send_input"],
]);
const SHELLS: ReadonlySet<string> = new Set([
  ...["exec_command", "shell", "shell_command", "local_shell", "container.exec"],
]);
/** The command that a script of newer versions runs. */
const IN_SCRIPT = /"cmd"\s*:\s*("(?:[^"\\]|\\.)*")/;
const EXIT = /(?:Exit code: |exited with code )(-?\d+)/;
const DENIED = /rejected by user|aborted by user|denied by the user/i;
const TEXTS = ["input_text", "output_text", "text"];
/** Characters of an output that tell how it ended. */
const HEAD = 2000;

/** Codex: every line is `{timestamp, ordinal, type, payload}`. */
export const agentB: RuntimeReader = {
  runtime: "agent_b",
  keepsIdsInCopies: false,
  silent: SILENT,
  result: RESULT,
  read,
};

type RecordReader = (payload: Fields | null, record: Fields, at: number | null) => LogFact[];

const KINDS: Readonly<Record<string, RecordReader>> = {
  session_meta: sessionEvents,
  "event_msg user_message": (payload, record) => [
    ...messageEvents("user", record, textField(payload, "message"), "event", null),
    turn("working", true),
  ],
  "event_msg agent_message": (payload, record) =>
    messageEvents("assistant", record, textField(payload, "message"), "event", null),
  "event_msg item_completed": (payload, record) => completedItem(record, partOf(payload, "item")),
  "event_msg task_started": () => [turn("working")],
  "event_msg turn_started": () => [turn("working")],
  "event_msg task_complete": turnEnd,
  "event_msg turn_complete": turnEnd,
  "event_msg turn_aborted": () => [turn("idle")],
  "event_msg token_count": (payload) => usageEvents(partOf(payload, "info")),
  "event_msg exec_command_end": (payload) => commandOf(payload, textField(payload, "call_id")),
  "event_msg thread_rolled_back": (payload) => {
    const count = numberOf(payload, "num_turns") ?? 0;
    return [{ kind: "rewind", to: { before: "prompts", count } }];
  },
  "event_msg thread_name_updated": (payload) => {
    const text = textField(payload, "thread_name");
    return text ? [{ kind: "title", text, chosen: true }] : [];
  },
  "response_item message": fallbackMessage,
  "response_item function_call": callEvents,
  "response_item custom_tool_call": callEvents,
  "response_item local_shell_call": callEvents,
  "response_item web_search_call": searchEvents,
  "response_item function_call_output": outputEvents,
  "response_item custom_tool_call_output": outputEvents,
};

function read(record: Fields, at: number | null): LogFact[] {
  const payload = partOf(record, "payload");
  const type = textField(record, "type") ?? "";
  const kind = type === "session_meta" ? type : `${type} ${textField(payload, "type")}`;
  return Object.hasOwn(KINDS, kind) ? (KINDS[kind]?.(payload, record, at) ?? []) : [];
}

function sessionEvents(meta: Fields | null): LogFact[] {
  const nativeId = textField(meta, "id");
  if (!nativeId) return [];
  const isSubagent =
    textField(meta, "thread_source") === "subagent" ||
    partOf(partOf(meta, "source"), "subagent") !== null;
  const session: LogFact = {
    kind: "session",
    nativeId,
    cwd: textField(meta, "cwd"),
    startedAt: timeOf(meta),
    forkedFrom: textField(meta, "forked_from_id"),
    isTyped: field(meta, "source") !== "exec" && !isSubagent,
    isSubagent,
  };
  const base = partOf(meta, "history_base");
  const ordinal = numberOf(base, "end_ordinal_exclusive");
  // The base of another thread makes it a fork, whose earlier messages stay in that thread's log.
  if (ordinal === null || textField(base, "thread_id") !== nativeId) return [session];
  return [session, { kind: "rewind", to: { before: "ordinal", ordinal } }];
}

function turnEnd(payload: Fields | null, _: Fields, at: number | null): LogFact[] {
  const error = partOf(payload, "error");
  if (error === null) return [turn("idle")];
  const isLimit = textField(error, "codex_error_info") === "usage_limit_exceeded";
  return [turn("error"), ...(isLimit ? [limitIn(textField(error, "message") ?? "", at)] : [])];
}

function usageEvents(info: Fields | null): LogFact[] {
  const tokens = numberOf(partOf(info, "last_token_usage"), "total_tokens");
  const window = numberOf(info, "model_context_window");
  return tokens === null || window === null ? [] : [{ kind: "usage", tokens, window }];
}

function completedItem(record: Fields, item: Fields | null): LogFact[] {
  const text = blocksText(listField(item, "content"), ["text", "Text"]);
  const id = textField(item, "id");
  switch (textField(item, "type")) {
    case "UserMessage":
      return [...messageEvents("user", record, text, "item", id), turn("working", true)];
    case "AgentMessage":
      return messageEvents("assistant", record, text, "item", id);
    case "CommandExecution":
      return commandOf(item, id);
    case "FileChange":
      return editOf(item, id);
    default:
      return [];
  }
}

/** Twins of the visible messages, and others; used only in logs without event messages. */
function fallbackMessage(payload: Fields | null, record: Fields): LogFact[] {
  const role = textField(payload, "role");
  const text = blocksText(listField(payload, "content"), TEXTS);
  const kinds = listField(
    partOf(payload, "internal_chat_message_metadata_passthrough"),
    "content_item_kinds",
  );
  const isInjected =
    INJECTED.test(text) ||
    kinds.some((kind) => typeof kind !== "string" || !TYPED_KINDS.includes(kind));
  // 0.60.1 has no record of a turn's end, and writes this one when the reply is complete.
  const end = role === "assistant" ? [turn("idle", true)] : [];
  if ((role !== "user" && role !== "assistant") || isInjected) return end;
  const id = textField(payload, "id");
  return [...messageEvents(role, record, text, "response", id, true), ...end];
}

function messageEvents(
  role: "user" | "assistant",
  record: Fields,
  text: string | null,
  source: string,
  nativeId: string | null,
  isFallback = false,
): LogFact[] {
  if (!text?.trim() || (role === "user" && INJECTED.test(text))) return [];
  const ordinal = numberOf(record, "ordinal");
  const message = { role, text, nativeId, source, isFallback, ordinal };
  return [{ kind: "message", ...message, parentId: null, marksRewinds: true, isCopied: false }];
}

function callEvents(call: Fields | null): LogFact[] {
  const id = textField(call, "call_id") ?? textField(call, "id");
  if (id === null) return [];
  const args = parseFields(textField(call, "arguments") ?? "");
  const name = textField(call, "name") ?? "local_shell";
  if (name === "request_user_input") {
    const questions = questionsOf(args);
    if (questions.length > 0) return [{ kind: "question", id, questions }];
  }
  const open = { kind: "tool", id, open: true } as const;
  if (name === "update_plan") {
    const lines = planLines(listField(args, "plan"), "step");
    return [{ kind: "plan", lines }, open];
  }
  if (HIDDEN_TOOLS.has(name)) return [open];
  const steps = () => stepsOf(name, call, args ?? partOf(call, "action"));
  return [{ ...open, steps, isWrapper: name === "exec" }];
}

function outputEvents(output: Fields | null): LogFact[] {
  const id = textField(output, "call_id") ?? textField(output, "id");
  if (id === null) return [];
  const end = (): CallEnd => ({ state: stateOf(field(output, "output")) });
  const answers = partOf(parseFields(textField(output, "output") ?? ""), "answers");
  return [
    { kind: "answer", id, answers: answers === null ? null : chosenIn(answers) },
    { kind: "tool", id, open: false, end },
  ];
}

/** Question id -> label; a note of the person stands among the labels. */
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

function stepsOf(name: string, call: Fields | null, args: Fields | null): CalledStep[] {
  const input = textField(call, "input") ?? "";
  if (name === "apply_patch") return editsOf(input);
  if (name === "exec") {
    // A script may have escapes that JSON does not know.
    const command = parseJson(IN_SCRIPT.exec(input)?.[1] ?? "");
    return [{ kind: "run", title: typeof command === "string" ? command : input }];
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

/** Without the shell that runs it. */
function commandIn(command: unknown): string {
  if (typeof command === "string") return command;
  if (!Array.isArray(command)) return "";
  const words = command.filter((word) => typeof word === "string");
  const isShell = /(^|\/)(ba|z|da)?sh$/.test(words[0] ?? "") && /^-l?c$/.test(words[1] ?? "");
  return isShell ? (words[2] ?? "") : words.join(" ");
}

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

function editOf(item: Fields | null, id: string | null): LogFact[] {
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
  return [{ kind: "call", id, steps, state: itemState(item) }];
}

function searchEvents(search: Fields | null): LogFact[] {
  const id = textField(search, "call_id") ?? textField(search, "id");
  const title = textField(partOf(search, "action"), "query") ?? "";
  return id === null ? [] : [{ kind: "call", id, steps: [{ kind: "web", title }], state: "done" }];
}

function commandOf(item: Fields | null, id: string | null): LogFact[] {
  if (id === null) return [];
  const parsed = listField(item, "parsed_cmd").map(fieldsOf);
  const steps = [stepOf(parsed, commandIn(field(item, "command")))];
  return [{ kind: "call", id, steps, state: itemState(item) }];
}

/** A command with an exit code other than 0 has failed, whatever its status. */
function itemState(item: Fields | null): CallEnd["state"] {
  const status = textField(item, "status");
  if (status === "declined") return "denied";
  return status === "failed" || (numberOf(item, "exit_code") ?? 0) !== 0 ? "failed" : "done";
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

/** The exit code stands before the printed output; in older versions it has a field of its own. */
function stateOf(output: unknown): CallEnd["state"] {
  const blocks = Array.isArray(output) ? output : [];
  const text = typeof output === "string" ? output : blocksText(blocks, TEXTS);
  const [head = ""] = text.slice(0, HEAD).split(/^Output:$/m, 1);
  const code = numberOf(partOf(parseFields(text), "metadata"), "exit_code");
  const exit = code ?? EXIT.exec(head)?.[1];
  if (exit === undefined) return DENIED.test(head) ? "denied" : "done";
  return Number(exit) === 0 ? "done" : "failed";
}
