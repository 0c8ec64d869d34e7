import {
  type CalledStep,
  type CallEvent,
  field,
  type Fields,
  fieldsOf,
  listField,
  partOf,
  textField,
  timeOf,
} from "./reader.ts";

const UNTOLD: ReadonlySet<string> = new Set([
  // Questions and plans are told as such.
  ...["AskUserQuestion", "ExitPlanMode", "EnterPlanMode", "TodoWrite"],
  ...["TaskCreate", "TaskUpdate", "TaskList", "TaskGet"],
]);
const DENIED = /^(Error: )?(The user doesn't want to|User rejected)/;

/** Calls of Claude Code's tools, and their results. */
export function callsOfA(record: Fields): CallEvent[] {
  if (field(record, "isSidechain") === true) return [];
  const origin = textField(partOf(record, "forkedFrom"), "sessionId");
  if (origin !== null && origin !== textField(record, "sessionId")) return [];
  const blocks = listField(partOf(record, "message"), "content").map(fieldsOf);
  if (textField(record, "type") === "assistant")
    return blocks.flatMap((block) => begun(block, timeOf(record)));
  return textField(record, "type") === "user"
    ? blocks.flatMap((block) => ended(record, block))
    : [];
}

function begun(block: Fields | null, at: number | null): CallEvent[] {
  const [id, name] = [textField(block, "id"), textField(block, "name")];
  if (textField(block, "type") !== "tool_use" || id === null || name === null || UNTOLD.has(name))
    return [];
  return [{ type: "begin", id, at, steps: [stepOf(name, partOf(block, "input"))] }];
}

function stepOf(name: string, input: Fields | null): CalledStep {
  const text = (member: string) => textField(input, member) ?? "";
  const path = text("file_path") || text("notebook_path") || text("path");
  switch (name) {
    case "Read":
    case "NotebookRead":
    case "LS":
      return { kind: "read", title: path, isPath: true };
    case "Edit":
    case "MultiEdit":
    case "Write":
    case "NotebookEdit":
      return { kind: "edit", title: path, isPath: true };
    case "Bash":
      return { kind: "run", title: text("command") };
    case "Grep":
    case "Glob":
      return { kind: "search", title: text("pattern") };
    case "WebFetch":
    case "WebSearch":
      return { kind: "web", title: text("url") || text("query") };
    case "Task":
    case "Agent":
      return { kind: "task", title: text("description") };
    default:
      return { kind: "other", title: name };
  }
}

function ended(record: Fields, block: Fields | null): CallEvent[] {
  const id = textField(block, "tool_use_id");
  if (textField(block, "type") !== "tool_result" || id === null) return [];
  const content = textField(block, "content") ?? "";
  const isDenied = textField(record, "toolDenialKind") !== null || DENIED.test(content);
  const hasFailed = field(block, "is_error") === true;
  const state = isDenied ? "denied" : hasFailed ? "failed" : "done";
  return [{ type: "end", id, state, ...linesOf(partOf(record, "toolUseResult")) }];
}

/** A file that was made is all new; of another one the patch tells. */
function linesOf(result: Fields | null): { added?: number; removed?: number } {
  const patch = field(result, "structuredPatch");
  if (!Array.isArray(patch)) return {};
  const lines = patch.flatMap((hunk) => listField(fieldsOf(hunk), "lines")).map(String);
  const content = textField(result, "content") ?? "";
  if (textField(result, "type") === "create")
    return { added: content.split("\n").length - Number(content.endsWith("\n")), removed: 0 };
  return {
    added: lines.filter((line) => line.startsWith("+")).length,
    removed: lines.filter((line) => line.startsWith("-")).length,
  };
}
