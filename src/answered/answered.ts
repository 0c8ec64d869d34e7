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

/** So often, and on so many days: fewer are one busy afternoon. */
export const LEAST_ANSWERS = 5;
export const LEAST_DAYS = 3;
/** What has not been asked for so long is allowed by now, or over: it is told no more. */
export const TOLD_SECONDS = 7 * 86_400;
/** After so long a question counts anew, also one that was once answered otherwise. */
const FORGET_SECONDS = 60 * 86_400;
const MAX_QUESTIONS = 300;
const MAX_HIDDEN = 300;
const MAX_TOLD = 10;
const SETTINGS_FILE = ".claude/settings.local.json";

const Question = z.object({
  ...RoutineQuestion.omit({ setting: true }).shape,
  /** On how many days a plain yes was given. */
  days: z.number().int(),
  /** `mixed`: it was answered otherwise as well. `hidden`: a person wants to hear no more of it. */
  state: z.enum(["alike", "mixed", "hidden"]),
});
type Question = z.infer<typeof Question>;

export const KeptAnswers = z.object({ version: z.literal(1), questions: z.array(Question) });
export type KeptAnswers = z.infer<typeof KeptAnswers>;

export const NO_ANSWERS: KeptAnswers = { version: 1, questions: [] };

/** @param dayOf the day of a time, as the person's calendar has it */
export function withAnswer(
  before: KeptAnswers,
  { folder, command }: AskedCommand,
  { answer, at, dayOf }: { answer: PlainAnswer; at: number; dayOf: (at: number) => number },
): KeptAnswers {
  if (exactRule(command) === null) return before;
  const id = idOf(folder, command);
  const kept = before.questions.filter((one) => !isForgotten(one, at));
  const begun = { count: 0, days: 0, since: at, last: at, state: "alike" } as const;
  const asked = kept.find((one) => one.id === id) ?? { id, folder, command, ...begun };
  const others = kept.filter((one) => one.id !== id);
  return { ...before, questions: bounded([...others, answered(asked, answer, at, dayOf)]) };
}

function answered(
  question: Question,
  answer: PlainAnswer,
  at: number,
  dayOf: (at: number) => number,
): Question {
  if (question.state === "hidden") return question;
  const { count, days } = question;
  const last = Math.max(at, question.last);
  if (answer === "other") return { ...question, last, state: "mixed" };
  // A clock that was set back makes no new day.
  const isNewDay = count === 0 || dayOf(at) > dayOf(question.last);
  return { ...question, last, count: count + 1, days: days + Number(isNewDay) };
}

/** A person's word stays. */
const isForgotten = ({ state, last }: Question, now: number): boolean =>
  state !== "hidden" && now - last > FORGET_SECONDS;

/** The ones that were asked last. */
function bounded(questions: readonly Question[]): Question[] {
  const hidden = questions.filter(({ state }) => state === "hidden").slice(-MAX_HIDDEN);
  const others = questions.filter(({ state }) => state !== "hidden").slice(-MAX_QUESTIONS);
  return [...hidden, ...others];
}

/** Null where there is no such question. */
export function withHidden(kept: KeptAnswers, id: string): KeptAnswers | null {
  const question = kept.questions.find((one) => one.id === id);
  if (!question) return null;
  const others = kept.questions.filter((one) => one !== question);
  return { ...kept, questions: bounded([...others, { ...question, state: "hidden" }]) };
}

/** What a person is told: the most frequent first. */
export function alwaysAllowed({ questions }: KeptAnswers, now: number): RoutineQuestion[] {
  return questions
    .flatMap(({ state, days, ...told }): RoutineQuestion[] => {
      const rule = exactRule(told.command);
      const isOften = told.count >= LEAST_ANSWERS && days >= LEAST_DAYS;
      const isRecent = now - told.last <= TOLD_SECONDS;
      if (state !== "alike" || rule === null || !isOften || !isRecent) return [];
      return [{ ...told, setting: { file: SETTINGS_FILE, rule } }];
    })
    .toSorted((a, b) => b.count - a.count)
    .slice(0, MAX_TOLD);
}

const idOf = (folder: string, command: string): string =>
  sha256(`${folder}\0${command}`).toString("hex").slice(0, 16);

export interface AskedCommand {
  readonly folder: string;
  readonly command: string;
}

/** What an option does: the plain yes allows once; any other is another answer. */
export type PlainAnswer = "allowed" | "other";

const HEADING = "Bash command";
const APPROVAL = "This command requires approval";
/** Of Claude Code's dialog: what its border and padding take at most from the width of the pane. */
const MARGIN = 8;
/**
 * A command of plain words. With quotes, globs, pipes, variables or a second command the rule would
 * mean more or less than the words on the screen.
 */
const PLAIN = /^[\w./@%+,-][\w./@%+,:=-]*(?: [\w./@%+,:=-]+)*$/;

/**
 * The command of a permission dialog of Claude Code, where the screen shows it exactly: in one line
 * that did not wrap, beside one line that says what it is for. Null for anything else.
 */
export function askedCommand(evidence: readonly string[], width: number): string | null {
  if (evidence[0]?.trim() !== HEADING) return null;
  const lines = evidence.slice(1).filter((line) => line.trim() !== APPROVAL);
  const isCommandFirst = lines[0]?.trim() === "";
  const told = withoutTip(lines).filter((line) => line.trim() !== "");
  const [first, second, ...more] = told;
  if (first === undefined || second === undefined || more.length > 0) return null;
  // The first word of the second line would have fitted into the first: it is a line of its own.
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

interface AnsweredDeps {
  readonly file: JsonStore;
  readonly clock: Clock;
  readonly log: Pick<Log, "error">;
}

/** Which exact questions were always answered alike from here. It answers nothing itself. */
export class Answered {
  readonly #deps: AnsweredDeps;
  readonly #stored: StoredJson<KeptAnswers>;

  constructor(deps: AnsweredDeps) {
    this.#deps = deps;
    const { file } = deps;
    this.#stored = new StoredJson({
      file,
      schema: KeptAnswers,
      empty: NO_ANSWERS,
      name: "answers",
    });
  }

  /** @throws UnreadableError: then nothing is counted */
  open(): Promise<void> {
    return this.#stored.open();
  }

  close(): Promise<void> {
    return this.#stored.saved();
  }

  /** An option was taken under its guard; `first` is the screen that it was chosen on. */
  note({ pane, state, prompt }: PaneReading, label: string): void {
    // A setting of another machine is out of reach here.
    if (prompt?.parser !== PERMISSION || !isLocalPane(pane.id)) return;
    const command = askedCommand(prompt.evidence, pane.width);
    if (command === null) return;
    const asked = { folder: state.cwd, command };
    const given = { answer: answerOf(label), at: this.#deps.clock.now(), dayOf };
    this.#stored
      .change((kept) => withAnswer(kept, asked, given))
      // The answer has been given all the same.
      .catch((error: unknown) => this.#deps.log.error("cannot count an answer", error));
  }

  get state(): AnsweredState {
    return { questions: alwaysAllowed(this.#stored.current, this.#deps.clock.now()) };
  }

  /** @throws AppError not_found, unavailable, persist_failed, storage */
  hide(id: string): Promise<void> {
    return this.#stored.change((kept) => {
      const without = withHidden(kept, id);
      if (without === null) throw new AppError("not_found", `unknown question: ${id}`);
      return without;
    });
  }
}

const dayOf = (at: number): number => {
  const date = new Date(at * 1000);
  return Math.floor((at - date.getTimezoneOffset() * 60) / 86_400);
};

export function answeredSlice(answered: Answered): Slice {
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
