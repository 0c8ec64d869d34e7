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

/** How one runtime writes its logs: one file of this folder, and one row of `table.ts`. */
export interface RuntimeReader {
  runtime: AgentRuntime;
  /**
   * What one record, of this time, says; nothing for what is not known or not for people. Never
   * throws.
   */
  read(record: Fields, at: number | null): LogFact[];
  /**
   * Finds in the first characters of a line that it says nothing, so that long lines of prompts
   * and tools are not parsed. A line that is wrongly kept only costs time.
   */
  silent: RegExp;
  /** The same of what a tool gave back: however long it is, it holds no words of the chat. */
  result: RegExp;
  /** A record keeps its id when a session is copied: the later of two sessions has the copy. */
  keepsIdsInCopies: boolean;
}

/** A longer line is passed over. */
export const MAX_LINE_BYTES = 1024 * 1024;
/** Characters of a line that `silent` and `result` are held against. */
const HEAD_LENGTH = 480;

export type Fields = Readonly<Record<string, unknown>>;

export function fieldsOf(value: unknown): Fields | null {
  return isObject(value) ? value : null;
}

/** Own members only: a record may have a field named like something every object has. */
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

/** Null for a line that is too long, says nothing by its head, or holds no record. */
export function recordIn(
  { silent }: Pick<RuntimeReader, "silent">,
  bytes: Buffer,
  [from, to]: readonly [number, number],
): Fields | null {
  if (to - from > MAX_LINE_BYTES || silent.test(headOf(bytes, from, to))) return null;
  return parseFields(bytes.toString("utf8", from, to));
}

/** An ISO time as epoch seconds; null for what is none, or lies outside of any clock. */
export function timeOf(fields: Fields | null, name = "timestamp"): number | null {
  const text = textField(fields, name);
  const ms = text === null ? Number.NaN : Date.parse(text);
  return Number.isFinite(ms) && ms >= 0 && ms < 1e14 ? ms / 1000 : null;
}

export function recordEvents({ read }: Pick<RuntimeReader, "read">, record: Fields): LogEvent[] {
  const at = timeOf(record);
  return read(record, at).map((told) => ({ at, ...told }));
}

export function blocksText(blocks: readonly unknown[], types: readonly string[]): string {
  return blocks
    .map(fieldsOf)
    .filter((block) => types.includes(textField(block, "type") ?? ""))
    .map((block) => textField(block, "text") ?? "")
    .filter((text) => text !== "")
    .join("\n\n");
}

/** Questions as both runtimes write them; one without its words, or an option without, is none. */
export function questionsOf(fields: Fields | null): LoggedQuestion[] {
  return listField(fields, "questions").flatMap((each) => {
    const asked = fieldsOf(each);
    const question = textField(asked, "question");
    if (question === null) return [];
    const options = listField(asked, "options")
      .map(fieldsOf)
      .map((option) => ({
        label: textField(option, "label") ?? "",
        description: textField(option, "description") ?? "",
      }))
      .filter(({ label }) => label !== "");
    return {
      id: textField(asked, "id"),
      header: textField(asked, "header") ?? "",
      question,
      options,
      multiSelect: field(asked, "multiSelect") === true,
    };
  });
}

/** A state of a plan's item as both runtimes write it; one that is not known has yet to begin. */
export function planStatus(text: string | null): PlanStatus {
  const isKnown = text === "in_progress" || text === "completed" || text === "blocked";
  return isKnown ? text : "pending";
}

/** Without an id an item is known by its words; `title` names the member that holds them. */
export function planLines(items: readonly unknown[], title: string): PlanLine[] {
  return items.map(fieldsOf).flatMap((item) => {
    const words = textField(item, title);
    const status = planStatus(textField(item, "status"));
    return words === null ? [] : [{ id: textField(item, "id"), title: words, status }];
  });
}

export function turn(state: TurnEvent["state"], isGuess = false): LogFact {
  return { kind: "turn", state, isGuess };
}

/** Whether these words of the program itself tell that a limit has ended a turn. */
export const isLimit = (text: string): boolean => detectLimit([text]) !== null;

/** What they tell; a time without a date is meant from when the record was written. */
export function limitIn(text: string, at: number | null): LogFact {
  const zone = Intl.DateTimeFormat().resolvedOptions().timeZone;
  const until = at === null ? null : parseReset(text, { at, zone });
  return { kind: "limit", reason: detectLimit([text])?.name ?? "usage limit", until };
}
