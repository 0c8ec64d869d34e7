import {
  type CalledStep,
  type CallEvent,
  field,
  type Fields,
  fieldsOf,
  listField,
  numberOf,
  parseFields,
  partOf,
  textField,
  timeOf,
} from "./reader.ts";

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

/** Calls of Codex's tools, and their results. */
export function callsOfB(record: Fields): CallEvent[] {
  const [payload, at] = [partOf(record, "payload"), timeOf(record)];
  const type = textField(payload, "type") ?? "";
  if (textField(record, "type") === "event_msg")
    return type === "item_completed"
      ? itemOf(partOf(payload, "item"), at)
      : type === "exec_command_end"
        ? commandOf(payload, textField(payload, "call_id"), at)
        : [];
  if (textField(record, "type") !== "response_item") return [];
  const id = textField(payload, "call_id") ?? textField(payload, "id");
  if (id === null) return [];
  switch (type) {
    case "function_call":
    case "custom_tool_call":
    case "local_shell_call":
      return begun(payload, id, at);
    case "web_search_call": {
      const title = textField(partOf(payload, "action"), "query") ?? "";
      return [{ type: "whole", id, at, steps: [{ kind: "web", title }], state: "done" }];
    }
    case "function_call_output":
    case "custom_tool_call_output":
      return [{ type: "end", id, state: stateOf(field(payload, "output")) }];
    default:
      return [];
  }
}

function begun(call: Fields | null, id: string, at: number | null): CallEvent[] {
  const name = textField(call, "name") ?? "local_shell";
  if (UNTOLD.has(name)) return [];
  const input = textField(call, "input") ?? "";
  const args = parseFields(textField(call, "arguments") ?? "") ?? partOf(call, "action");
  if (name === "apply_patch") return [{ type: "begin", id, at, steps: editsOf(input) }];
  if (name === "exec") {
    const found = IN_SCRIPT.exec(input)?.[1];
    const title = found === undefined ? firstOf(input) : String(JSON.parse(found));
    return [{ type: "begin", id, at, steps: [{ kind: "run", title }], isWrapper: true }];
  }
  if (SHELLS.has(name)) {
    const command = commandIn(field(args, "cmd") ?? field(args, "command"));
    const edits = editsOf(command);
    const steps = edits.length > 0 ? edits : [{ kind: "run" as const, title: command }];
    return [{ type: "begin", id, at, steps }];
  }
  if (name === "spawn_agent") {
    const title = textField(args, "task_name") ?? textField(args, "message") ?? "";
    return [{ type: "begin", id, at, steps: [{ kind: "task", title }] }];
  }
  const isImage = name === "view_image";
  const title = isImage ? (textField(args, "path") ?? "") : name;
  return [
    {
      type: "begin",
      id,
      at,
      steps: [{ kind: isImage ? "read" : "other", title, isPath: isImage }],
    },
  ];
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

function itemOf(item: Fields | null, at: number | null): CallEvent[] {
  const id = textField(item, "id");
  if (textField(item, "type") === "CommandExecution") return commandOf(item, id, at);
  if (textField(item, "type") !== "FileChange" || id === null) return [];
  const changes = field(item, "changes");
  const listed = Array.isArray(changes)
    ? changes.map(fieldsOf)
    : Object.entries(fieldsOf(changes) ?? {}).map(([path, change]) => ({
        ...fieldsOf(change),
        path,
      }));
  const steps = listed.map((change): CalledStep => {
    const lines = (textField(change, "unified_diff") ?? textField(change, "diff") ?? "").split(
      "\n",
    );
    const count = (sign: string) =>
      lines.filter((line) => line.startsWith(sign) && !line.startsWith(sign.repeat(3))).length;
    const title = textField(change, "path") ?? "";
    return { kind: "edit", title, isPath: true, added: count("+"), removed: count("-") };
  });
  const state = textField(item, "status") === "failed" ? "failed" : "done";
  return [{ type: "whole", id, at, steps, state }];
}

/** A command with what its program takes it for: a look at files, a search. */
function commandOf(told: Fields | null, id: string | null, at: number | null): CallEvent[] {
  if (id === null) return [];
  const status = textField(told, "status") ?? "";
  const exit = numberOf(told, "exit_code") ?? 0;
  const state =
    status === "declined" ? "denied" : exit === 0 && status !== "failed" ? "done" : "failed";
  const parsed = listField(told, "parsed_cmd").map(fieldsOf);
  const steps = [stepOf(parsed, commandIn(field(told, "command")))];
  return [{ type: "whole", id, at, steps, state }];
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

function stateOf(output: unknown): "done" | "failed" | "denied" {
  const blocks = Array.isArray(output)
    ? output.map((each) => textField(fieldsOf(each), "text"))
    : [];
  const text = (typeof output === "string" ? output : blocks.join("\n")).slice(0, HEAD);
  if (DENIED.test(text)) return "denied";
  const exit = EXIT.exec(text)?.[1];
  return exit === undefined || exit === "0" ? "done" : "failed";
}
