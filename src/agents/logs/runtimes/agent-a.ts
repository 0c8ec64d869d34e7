import type { CalledStep, CallEnd, LogFact } from "../events.ts";
import {
  blocksText,
  field,
  type Fields,
  fieldsOf,
  isLimit,
  limitIn,
  listField,
  numberOf,
  partOf,
  planLines,
  planStatus,
  questionsOf,
  type RuntimeReader,
  textField,
  turn,
} from "./reader.ts";

/** Records of prompts, tool lists and other things for the model alone. */
const SILENT =
  /^\{"type":"(api-request|atis-latch|mode"|permission-mode|file-history|tools-used)|^\{"parentUuid":(null|"[\w-]*"),"isSidechain":(true,|false,(?:"agentId":"[\w-]*",)?"attachment":\{"type":"(prompt_snapshot|skill_listing|agent_listing_delta|deferred_tools_delta)")/;

const RESULT = /"role":"user","content":\[\{(?:"tool_use_id":"[^"]*",)?"type":"tool_result"/;

/** Texts that the program writes, or puts around what was typed. */
const INJECTED =
  /^\s*<(command-name|command-message|command-args|local-command-stdout|local-command-stderr|local-command-caveat|bash-input|bash-stdout|bash-stderr|task-notification|system-reminder|user-memory-input|ide_[a-z_]+)>/;
const INTERRUPTED = /^\[Request interrupted by user( for tool use)?\]\s*$/;
/** The model of messages that the program itself writes. */
const SYNTHETIC = "<synthetic>";
/** Names of limits as the program shows them, by those of its server. */
const LIMITS: Readonly<Record<string, string>> = {
  five_hour: "5-hour limit",
  seven_day: "weekly limit",
  seven_day_opus: "weekly limit",
  seven_day_sonnet: "weekly limit",
};
/** Texts that start a turn although the log has no message of a person. */
const STARTS_TURN = /^\s*<(bash-input|command-message|task-notification)>/;

const HIDDEN_TOOLS: ReadonlySet<string> = new Set([
  // Questions and plans have events of their own.
  ...["AskUserQuestion", "ExitPlanMode", "EnterPlanMode", "TodoWrite"],
  ...["TaskCreate", "TaskUpdate", "TaskList", "TaskGet"],
]);
const DENIED = /^(Error: )?(The user doesn't want to|User rejected)/;

/** Claude Code: one record a line, and for each block of a reply one. */
export const agentA: RuntimeReader = {
  runtime: "agent_a",
  keepsIdsInCopies: true,
  silent: SILENT,
  result: RESULT,
  read,
};

type RecordReader = (record: Fields, at: number | null) => LogFact[];

const KINDS: Readonly<Record<string, RecordReader>> = {
  user: userEvents,
  assistant: assistantEvents,
  attachment: attachmentEvents,
  system: systemEvents,
};

function read(record: Fields, at: number | null): LogFact[] {
  const type = textField(record, "type") ?? "";
  if (type === "ai-title") return titleEvents(record, textField(record, "aiTitle"), false);
  if (type === "custom-title") return titleEvents(record, textField(record, "customTitle"), true);
  if (type === "cost-state") return [turn("ended")];
  // A rewind writes no record of its own: the turn after it ends with this one.
  if (type === "last-prompt" && field(record, "explicit") === true)
    return [{ kind: "rewind", to: { before: "last_fork" } }];
  if (field(record, "isSidechain") === true || !Object.hasOwn(KINDS, type)) return [];
  return [...sessionOf(record), ...(KINDS[type]?.(record, at) ?? [])];
}

function titleEvents(record: Fields, text: string | null, chosen: boolean): LogFact[] {
  return text ? [...sessionOf(record), { kind: "title", text, chosen }] : [];
}

function sessionOf(record: Fields): LogFact[] {
  const nativeId = textField(record, "sessionId");
  if (!nativeId) return [];
  const copiedFrom = textField(partOf(record, "forkedFrom"), "sessionId");
  return [
    {
      kind: "session",
      nativeId,
      cwd: textField(record, "cwd"),
      startedAt: null,
      forkedFrom: copiedFrom === nativeId ? null : copiedFrom,
      isTyped: !(textField(record, "entrypoint") ?? "cli").startsWith("sdk"),
      isSubagent: false,
    },
  ];
}

function userEvents(record: Fields): LogFact[] {
  const content = field(partOf(record, "message"), "content");
  const blocks = Array.isArray(content) ? content : [];
  const results = blocks.map(fieldsOf).filter((each) => textField(each, "type") === "tool_result");
  if (results.length > 0) return results.flatMap((result) => resultEvents(record, result));
  const text = typeof content === "string" ? content : blocksText(blocks, ["text"]);
  if (INTERRUPTED.test(text)) return [turn("idle")];
  if (startsTurn(record, text)) return [turn("working")];
  const isHidden = ["isMeta", "isCompactSummary", "isVisibleInTranscriptOnly"].some(
    (flag) => field(record, flag) === true,
  );
  if (isHidden || INJECTED.test(text) || text.trim() === "") return [];
  if (!isByPerson(record)) return [turn("working")];
  return [messageOf(record, "user", unwrapPaste(text)), turn("working")];
}

/** Newer versions tell who began a turn; in older ones only people did. */
function isByPerson(record: Fields): boolean {
  const kind = textField(partOf(record, "origin"), "kind") ?? "human";
  return kind === "human" && textField(record, "promptSource") !== "system";
}

/** A person's own shell commands start a turn only since 2.1.330. */
function startsTurn(record: Fields, text: string): boolean {
  const tag = STARTS_TURN.exec(text)?.[1];
  return tag === "bash-input"
    ? !isBefore(textField(record, "version"), "2.1.330")
    : tag !== undefined;
}

/** Takes away the tags that the program puts around a paste. */
function unwrapPaste(text: string): string {
  const plain = text.replace(/<\/?pasted_content(?: id="[^"]*")?>\n?/g, "");
  return plain === text ? text : plain.trim();
}

function messageOf(record: Fields, role: "user" | "assistant", text: string) {
  const origin = textField(partOf(record, "forkedFrom"), "sessionId");
  return {
    kind: "message" as const,
    role,
    text,
    nativeId: textField(record, "uuid"),
    source: textField(record, "type") ?? "user",
    isFallback: false,
    parentId: role === "user" ? textField(record, "parentUuid") : null,
    ordinal: null,
    marksRewinds: !isBefore(textField(record, "version"), "2.1.330"),
    isCopied: origin !== null && origin !== textField(record, "sessionId"),
  };
}

function resultEvents(record: Fields, result: Fields | null): LogFact[] {
  const id = textField(result, "tool_use_id");
  if (id === null) return [];
  const value = partOf(record, "toolUseResult");
  const isDenied =
    textField(record, "toolDenialKind") !== null || field(result, "is_error") === true;
  const answers = partOf(value, "answers");
  const given = answers === null ? {} : textsOf(answers);
  return [
    { kind: "answer", id, answers: isDenied ? null : given },
    { kind: "tool", id, open: false, end: () => endOf(record, result, value) },
    ...taskEvents(value),
  ];
}

/** Question -> chosen label, several joined by ", ". */
function textsOf(fields: Fields): Record<string, string> {
  const texts = Object.entries(fields).filter(([, value]) => typeof value === "string");
  return Object.fromEntries(texts.map(([key, value]) => [key, String(value)]));
}

/** Read from results, since only they have the id of a task. */
function taskEvents(result: Fields | null): LogFact[] {
  const task = partOf(result, "task");
  const newId = textField(task, "id");
  if (newId !== null && textField(task, "subject") !== null) {
    return [{ kind: "task", id: newId, title: textField(task, "subject"), status: "pending" }];
  }
  const changedId = textField(result, "taskId");
  if (changedId === null) return [];
  const to = textField(partOf(result, "statusChange"), "to");
  const status = to === "deleted" ? "deleted" : to === null ? null : planStatus(to);
  return [{ kind: "task", id: changedId, title: null, status }];
}

function assistantEvents(record: Fields, at: number | null): LogFact[] {
  if (field(record, "isApiErrorMessage") === true)
    return [turn("error"), ...limitEvents(record, at)];
  const message = partOf(record, "message");
  const blocks = listField(message, "content").map(fieldsOf);
  const calls = blocks.filter((block) => textField(block, "type") === "tool_use");
  const text = blocksText(blocks, ["text"]);
  const events: LogFact[] = [];
  const isSynthetic = textField(message, "model") === SYNTHETIC;
  if (!isSynthetic && text.trim() !== "") events.push(messageOf(record, "assistant", text));
  events.push(...calls.flatMap((call) => callEvents(call)));
  if (calls.length === 0 && endsTurn(record, message)) events.push(turn("idle"));
  return events;
}

/** Newer versions have the limit in fields, older ones in the text that a person sees. */
function limitEvents(record: Fields, at: number | null): LogFact[] {
  const quota = partOf(record, "quotaLimits");
  const until = numberOf(quota, "resetsAt");
  const type = textField(quota, "rateLimitType");
  if (textField(quota, "status") === "rejected" && until !== null)
    return [{ kind: "limit", reason: LIMITS[type ?? ""] ?? "usage limit", until }];
  const text = blocksText(listField(partOf(record, "message"), "content"), ["text"]);
  return isLimit(text) ? [limitIn(text, at)] : [];
}

/**
 * Older versions (2.1.29 and before) mostly give no reason and no record of the turn's end: there
 * any text without a call may be the last.
 */
function endsTurn(record: Fields, message: Fields | null): boolean {
  const reason = textField(message, "stop_reason");
  if (reason === "end_turn" || reason === "stop_sequence") return true;
  return reason === null && isBefore(textField(record, "version"), "2.1.100");
}

function isBefore(version: string | null, limit: string): boolean {
  const isVersion = version !== null && /^\d{1,6}(\.\d{1,6}){2}$/.test(version);
  return isVersion && Bun.semver.order(version, limit) < 0;
}

function callEvents(call: Fields | null): LogFact[] {
  const id = textField(call, "id");
  if (id === null) return [];
  const [name, input] = [textField(call, "name"), partOf(call, "input")];
  const questions = name === "AskUserQuestion" ? questionsOf(input) : [];
  if (questions.length > 0) return [{ kind: "question", id, questions }];
  const plan = name === "ExitPlanMode" ? textField(input, "plan") : null;
  if (plan !== null) return [{ kind: "plan_request", id, plan }];
  const open = { kind: "tool", id, open: true } as const;
  if (name === "TodoWrite")
    return [{ kind: "plan", lines: planLines(listField(input, "todos"), "content") }, open];
  if (name === null || HIDDEN_TOOLS.has(name)) return [open];
  return [{ ...open, steps: () => [stepOf(name, input)] }];
}

/** A message typed while it worked and read before the turn's end has no user record. */
function attachmentEvents(record: Fields): LogFact[] {
  const attachment = partOf(record, "attachment");
  if (textField(attachment, "type") !== "queued_command") return [];
  const isPrompt = (textField(attachment, "commandMode") ?? "prompt") === "prompt";
  const isHuman = (textField(partOf(attachment, "origin"), "kind") ?? "human") === "human";
  const prompt = field(attachment, "prompt");
  const text = Array.isArray(prompt) ? blocksText(prompt, ["text"]) : prompt;
  if (!isPrompt || !isHuman || typeof text !== "string") return [];
  if (INJECTED.test(text) || text.trim() === "") return [];
  // It lies inside a turn, where its parent tells nothing of a rewind.
  return [{ ...messageOf(record, "user", unwrapPaste(text)), parentId: null }, turn("working")];
}

function systemEvents(record: Fields, at: number | null): LogFact[] {
  const subtype = textField(record, "subtype");
  if (subtype === "turn_duration") return [turn("idle")];
  // It cuts the turn short, which then ends like a finished one.
  const text = subtype === "informational" ? (textField(record, "content") ?? "") : "";
  return text.startsWith("Approaching your ") && isLimit(text) ? [limitIn(text, at)] : [];
}

const PATHS = ["file_path", "notebook_path", "path"];

/** Tools, and members of their input: the first one that is not empty is the step's title. */
const TOOLS: readonly [CalledStep["kind"], names: string[], titles: string[]][] = [
  ["read", ["Read", "NotebookRead", "LS"], PATHS],
  ["edit", ["Edit", "MultiEdit", "Write", "NotebookEdit"], PATHS],
  ["run", ["Bash"], ["command"]],
  ["search", ["Grep", "Glob"], ["pattern"]],
  ["web", ["WebFetch", "WebSearch"], ["url", "query"]],
  ["task", ["Task", "Agent"], ["description"]],
];

function stepOf(name: string, input: Fields | null): CalledStep {
  const tool = TOOLS.find(([, names]) => names.includes(name));
  if (!tool) return { kind: "other", title: name };
  const [kind, , titles] = tool;
  const title = titles.map((member) => textField(input, member)).find(Boolean) ?? "";
  return { kind, title, isPath: titles === PATHS };
}

function endOf(record: Fields, block: Fields | null, result: Fields | null): CallEnd {
  const content = textField(block, "content") ?? "";
  const isToldApart = !isBefore(textField(record, "version"), "2.1.330");
  // One that was interrupted while it ran has the words and the kind of a refused one.
  const hasRun = isToldApart && field(record, "toolDenialBeforeRun") !== true;
  const isDenied = textField(record, "toolDenialKind") ? !hasRun : DENIED.test(content);
  const hasFailed = field(block, "is_error") === true;
  return { state: isDenied ? "denied" : hasFailed ? "failed" : "done", ...linesOf(result) };
}

/** All lines of a created file are added; for another file the patch tells. */
function linesOf(result: Fields | null): Omit<CallEnd, "state"> {
  const patch = field(result, "structuredPatch");
  if (!Array.isArray(patch)) return {};
  const listed = patch.flatMap((hunk) => listField(fieldsOf(hunk), "lines"));
  const lines = listed.filter((line) => typeof line === "string");
  const content = textField(result, "content") ?? "";
  if (textField(result, "type") === "create")
    return { added: content.split("\n").length - Number(content.endsWith("\n")), removed: 0 };
  return {
    added: lines.filter((line) => line.startsWith("+")).length,
    removed: lines.filter((line) => line.startsWith("-")).length,
  };
}
