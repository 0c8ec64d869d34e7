import { detectLimit, parseReset } from "../../../detect/limit.ts";
import { isObject, parseJson } from "../../../lib/json.ts";
import type { AgentRuntime } from "../../../protocol/agents.ts";
import type {
  LoggedQuestion,
  LogEvent,
  PlanLine,
  PlanStatus,
  LogFact,
  TurnEvent,
} from "../events.ts";

/** Reads the logs of one runtime: one file of this folder, and one row of `table.ts`. */
export interface RuntimeReader {
  runtime: AgentRuntime;
  /** Empty for a record that is unknown, or not meant for people. Never throws. */
  read(record: Fields, at: number | null): LogFact[];
  /** Matches the head of a line that need not be parsed; a line that it misses only costs time. */
  silent: RegExp;
  /** Matches the head of a tool's result: too long a one is no loss, since it has no message. */
  result: RegExp;
  /** A record keeps its id when a session is copied: the later session has the copy. */
  keepsIdsInCopies: boolean;
}

/** Longer lines are skipped. */
export const MAX_LINE_BYTES = 1024 * 1024;
/** Characters of a line that `silent` and `result` are tested on. */
const HEAD_LENGTH = 480;

export type Fields = Readonly<Record<string, unknown>>;

export function fieldsOf(value: unknown): Fields | null {
  return isObject(value) ? value : null;
}

/** Own members only: a record may have a field named like a member of every object. */
export function field(fields: Fields | null, name: string): unknown {
  return fields !== null && Object.hasOwn(fields, name) ? fields[name] : undefined;
}

export function textField(fields: Fields | null, name: string): string | null {
  const value = field(fields, name);
  return typeof value === "string" ? value : null;
}

export function numberOf(fields: Fields | null, name: string): number | null {
  const value = field(fields, name);
  return typeof value === "number" && Number.isFinite(value) ? value : null;
}

export function listField(fields: Fields | null, name: string): readonly unknown[] {
  const value = field(fields, name);
  return Array.isArray(value) ? value : [];
}

export function partOf(fields: Fields | null, name: string): Fields | null {
  return fieldsOf(field(fields, name));
}

/** Null for a text that is no JSON object. */
export function parseFields(text: string): Fields | null {
  return fieldsOf(parseJson(text.replace(/^\ufeff/, "")));
}

export function headOf(bytes: Buffer, from: number, to: number): string {
  return bytes.toString("latin1", from, Math.min(to, from + HEAD_LENGTH));
}

/** Null for a line that is too long, silent, or no record. */
export function recordIn(
  { silent }: Pick<RuntimeReader, "silent">,
  bytes: Buffer,
  [from, to]: readonly [number, number],
): Fields | null {
  if (to - from > MAX_LINE_BYTES || silent.test(headOf(bytes, from, to))) return null;
  return parseFields(bytes.toString("utf8", from, to));
}

/** An ISO time as epoch seconds; null for an impossible one. */
export function timeOf(fields: Fields | null, name = "timestamp"): number | null {
  const text = textField(fields, name);
  const ms = text === null ? Number.NaN : Date.parse(text);
  return Number.isFinite(ms) && ms >= 0 && ms < 1e14 ? ms / 1000 : null;
}

export function recordEvents({ read }: Pick<RuntimeReader, "read">, record: Fields): LogEvent[] {
  const at = timeOf(record);
  return read(record, at).map((fact) => ({ at, ...fact }));
}

export function blocksText(blocks: readonly unknown[], types: readonly string[]): string {
  return blocks
    .map(fieldsOf)
    .filter((block) => types.includes(textField(block, "type") ?? ""))
    .map((block) => textField(block, "text") ?? "")
    .filter((text) => text !== "")
    .join("\n\n");
}

/** Questions as both runtimes write them; questions and options without text are left out. */
export function questionsOf(input: Fields | null): LoggedQuestion[] {
  return listField(input, "questions").flatMap((each) => {
    const fields = fieldsOf(each);
    const question = textField(fields, "question");
    if (question === null) return [];
    const options = listField(fields, "options")
      .map(fieldsOf)
      .map((option) => ({
        label: textField(option, "label") ?? "",
        description: textField(option, "description") ?? "",
      }))
      .filter(({ label }) => label !== "");
    return {
      id: textField(fields, "id"),
      header: textField(fields, "header") ?? "",
      question,
      options,
      multiSelect: field(fields, "multiSelect") === true,
    };
  });
}

/** A status as both runtimes write it; an unknown one counts as pending. */
export function planStatus(text: string | null): PlanStatus {
  const isKnown = text === "in_progress" || text === "completed" || text === "blocked";
  return isKnown ? text : "pending";
}

/** `title` names the member that holds an item's text. */
export function planLines(items: readonly unknown[], title: string): PlanLine[] {
  return items.map(fieldsOf).flatMap((item) => {
    const text = textField(item, title);
    const status = planStatus(textField(item, "status"));
    return text === null ? [] : [{ id: textField(item, "id"), title: text, status }];
  });
}

export function turn(state: TurnEvent["state"], isGuess = false): LogFact {
  return { kind: "turn", state, isGuess };
}

/** Whether this message of the program itself tells that a limit has ended a turn. */
export const isLimit = (text: string): boolean => detectLimit([text]) !== null;

/** A reset time without a date is read as the next one after the record. */
export function limitIn(text: string, at: number | null): LogFact {
  const zone = Intl.DateTimeFormat().resolvedOptions().timeZone;
  const until = at === null ? null : parseReset(text, { at, zone });
  return { kind: "limit", reason: detectLimit([text])?.name ?? "usage limit", until };
}
