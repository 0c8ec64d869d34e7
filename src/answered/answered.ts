import { z } from "zod";
import { commandRisk } from "../detect/risk.ts";
import { AppError } from "../errors.ts";
import type { Clock } from "../lib/clock.ts";
import { sha256 } from "../lib/digest.ts";
import type { Log } from "../lib/log.ts";
import { type JsonStore, StoredJson } from "../lib/stored-json.ts";
import { RoutineQuestion, type AnsweredState } from "../protocol/acts.ts";
import type { Handlers, Slice } from "../slice.ts";
import { isLocalPane } from "../terminal/namespace.ts";
import type { PaneReading } from "../terminal/reading.ts";

/** Both are needed: many answers on one day may be a single busy afternoon. */
export const LEAST_ANSWERS = 5;
export const LEAST_DAYS = 3;
/** A question that was not asked for longer is settled, or its work is over. */
export const RECENT_SECONDS = 7 * 86_400;
/** After so long a question starts anew, even one that was answered in different ways. */
const FORGET_SECONDS = 60 * 86_400;
const MAX_QUESTIONS = 300;
const MAX_HIDDEN = 300;
const MAX_LISTED = 10;
const SETTINGS_FILE = ".claude/settings.local.json";

const Question = z.object({
  ...RoutineQuestion.omit({ setting: true }).shape,
  /** Number of days with a plain yes. */
  days: z.number().int(),
  /** `mixed`: it also had another answer. `hidden`: the person has dismissed it. */
  state: z.enum(["alike", "mixed", "hidden"]),
});
type Question = z.infer<typeof Question>;

export const StoredAnswers = z.object({ version: z.literal(1), questions: z.array(Question) });
export type StoredAnswers = z.infer<typeof StoredAnswers>;

export const NO_ANSWERS: StoredAnswers = { version: 1, questions: [] };

interface GivenAnswer {
  answer: PlainAnswer;
  /** Epoch seconds. */
  at: number;
  /** The number of the local day of a time. */
  dayOf: (at: number) => number;
}

export function withAnswer(
  before: StoredAnswers,
  { folder, command }: RequestedCommand,
  given: GivenAnswer,
): StoredAnswers {
  const { at } = given;
  if (exactRule(command) === null) return before;
  const id = idOf(folder, command);
  const stored = before.questions.filter((one) => !isForgotten(one, at));
  const start = { count: 0, days: 0, since: at, last: at, state: "alike" } as const;
  const question = stored.find((one) => one.id === id) ?? { id, folder, command, ...start };
  const others = stored.filter((one) => one.id !== id);
  return { ...before, questions: newestOf([...others, countAnswer(question, given)]) };
}

function countAnswer(question: Question, { answer, at, dayOf }: GivenAnswer): Question {
  if (question.state === "hidden") return question;
  const { count, days } = question;
  const last = Math.max(at, question.last);
  if (answer === "other") return { ...question, last, state: "mixed" };
  // A clock that was set back makes no new day.
  const isNewDay = count === 0 || dayOf(at) > dayOf(question.last);
  return { ...question, last, count: count + 1, days: days + Number(isNewDay) };
}

/** A dismissal stays for good. */
const isForgotten = ({ state, last }: Question, now: number): boolean =>
  state !== "hidden" && now - last > FORGET_SECONDS;

function newestOf(questions: readonly Question[]): Question[] {
  const hidden = questions.filter(({ state }) => state === "hidden").slice(-MAX_HIDDEN);
  const others = questions.filter(({ state }) => state !== "hidden").slice(-MAX_QUESTIONS);
  return [...hidden, ...others];
}

/** Null where there is no such question. */
export function withHidden(stored: StoredAnswers, id: string): StoredAnswers | null {
  const question = stored.questions.find((one) => one.id === id);
  if (!question) return null;
  const others = stored.questions.filter((one) => one !== question);
  return { ...stored, questions: newestOf([...others, { ...question, state: "hidden" }]) };
}

/** The most frequent first. */
export function routineQuestions({ questions }: StoredAnswers, now: number): RoutineQuestion[] {
  return questions
    .flatMap(({ state, days, ...question }): RoutineQuestion[] => {
      const rule = exactRule(question.command);
      const isOften = question.count >= LEAST_ANSWERS && days >= LEAST_DAYS;
      const isRecent = now - question.last <= RECENT_SECONDS;
      if (state !== "alike" || rule === null || !isOften || !isRecent) return [];
      return [{ ...question, setting: { file: SETTINGS_FILE, rule } }];
    })
    .toSorted((a, b) => b.count - a.count)
    .slice(0, MAX_LISTED);
}

const idOf = (folder: string, command: string): string =>
  sha256(`${folder}\0${command}`).toString("hex").slice(0, 16);

export interface RequestedCommand {
  readonly folder: string;
  readonly command: string;
}

/** `allowed`: the plain yes, which allows once. */
export type PlainAnswer = "allowed" | "other";

const HEADING = "Bash command";
const APPROVAL = "This command requires approval";
/** Most columns that border and padding of Claude Code's dialog take. */
const MARGIN = 8;
/**
 * With quotes, globs, pipes, variables or a second command the rule would not mean exactly the words on
 * the screen.
 */
const PLAIN = /^[\w./@%+,-][\w./@%+,:=-]*(?: [\w./@%+,:=-]+)*$/;

/**
 * The command of a permission dialog of Claude Code, where the screen shows it exactly: in one line
 * that did not wrap, beside one line with its purpose.
 */
export function requestedCommand(evidence: readonly string[], width: number): string | null {
  if (evidence[0]?.trim() !== HEADING) return null;
  const lines = evidence.slice(1).filter((line) => line.trim() !== APPROVAL);
  const isCommandFirst = lines[0]?.trim() === "";
  const [first, second, ...more] = withoutTip(lines).filter((line) => line.trim() !== "");
  if (first === undefined || second === undefined || more.length > 0) return null;
  // A second line whose first word had room in the first is no continuation of it.
  const [word = ""] = second.trim().split(" ");
  if (Bun.stringWidth(first) + 1 + Bun.stringWidth(word) >= width - MARGIN) return null;
  if (Bun.stringWidth(second) >= width - MARGIN) return null;
  return (isCommandFirst ? first : second).trim();
}

/** `Tip: …`, over one or two lines, ends in "below". */
function withoutTip(lines: readonly string[]): readonly string[] {
  if (lines[0]?.trim().startsWith("Tip:") !== true) return lines;
  const end = lines.findIndex((line) => /\bbelow$/.test(line.trim()));
  return end < 0 ? [] : lines.slice(end + 1);
}

/** The rule of Claude Code that allows this command and no other; null where there is none. */
export function exactRule(command: string): string | null {
  const [program = ""] = command.split(" ");
  const isPlain = PLAIN.test(command) && !program.includes("=") && !command.endsWith(":");
  if (!isPlain || commandRisk([command]) !== null) return null;
  return `Bash(${command})`;
}

export const answerOf = (label: string): PlainAnswer =>
  label.trim() === "Yes" ? "allowed" : "other";

export const ANSWERED_FILE = "panewatch-answered.json";

const PERMISSION = "agent_a.permission";

interface AnswerCountsDeps {
  readonly file: JsonStore;
  readonly clock: Clock;
  readonly log: Pick<Log, "error">;
}

/** Counts how permission questions were answered from here. It answers nothing itself. */
export class AnswerCounts {
  readonly #deps: AnswerCountsDeps;
  readonly #stored: StoredJson<StoredAnswers>;

  constructor(deps: AnswerCountsDeps) {
    this.#deps = deps;
    this.#stored = new StoredJson({
      file: deps.file,
      schema: StoredAnswers,
      empty: NO_ANSWERS,
      name: "answers",
    });
  }

  /** @throws UnreadableError; nothing is counted then */
  open(): Promise<void> {
    return this.#stored.open();
  }

  close(): Promise<void> {
    return this.#stored.saved();
  }

  /** Counts an option that was taken, by the screen on which it was chosen. */
  note({ pane, state, prompt }: PaneReading, label: string): void {
    // A setting of another machine is out of reach here.
    if (prompt?.parser !== PERMISSION || !isLocalPane(pane.id)) return;
    const command = requestedCommand(prompt.evidence, pane.width);
    if (command === null) return;
    const request = { folder: state.cwd, command };
    const outcome = { answer: answerOf(label), at: this.#deps.clock.now(), dayOf };
    this.#stored
      .change((stored) => withAnswer(stored, request, outcome))
      // The answer itself was sent.
      .catch((error: unknown) => this.#deps.log.error("cannot count an answer", error));
  }

  get state(): AnsweredState {
    return { questions: routineQuestions(this.#stored.current, this.#deps.clock.now()) };
  }

  /** @throws AppError not_found, unavailable, persist_failed, storage */
  hide(id: string): Promise<void> {
    return this.#stored.change((stored) => {
      const without = withHidden(stored, id);
      if (without === null) throw new AppError("not_found", `unknown question: ${id}`);
      return without;
    });
  }
}

const dayOf = (at: number): number => {
  const date = new Date(at * 1000);
  return Math.floor((at - date.getTimezoneOffset() * 60) / 86_400);
};

export function answeredSlice(answered: AnswerCounts): Slice {
  const routes: Handlers = {
    "GET /api/answered": () => answered.state,
    "POST /api/answered/hide": (c) => answered.hide(c.req.valid("json").id),
  };
  return {
    name: "answered",
    routes,
    start: () => answered.open(),
    stop: () => answered.close(),
    capabilities: () => ({ answered_v1: { version: 1 } }),
  };
}
