import { z } from "zod";
import { sha256 } from "../lib/digest.ts";
import type { AlwaysAllowed } from "../protocol/answered.ts";
import { type Answer, type Asked, exactRule } from "./question.ts";

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
  id: z.string(),
  folder: z.string(),
  command: z.string(),
  /** Plain yeses, and on how many days. */
  count: z.number().int(),
  days: z.number().int(),
  /** Epoch seconds. */
  since: z.number(),
  last: z.number(),
  /** `mixed`: it was answered otherwise as well. `hidden`: a person wants to hear no more of it. */
  state: z.enum(["alike", "mixed", "hidden"]),
});
type Question = z.infer<typeof Question>;

/** All that is written down. */
export const Kept = z.object({ version: z.literal(1), questions: z.array(Question) });
export type Kept = z.infer<typeof Kept>;

export const NOTHING_KEPT: Kept = { version: 1, questions: [] };

/** @param dayOf the day of a time, as the person's calendar has it */
export function withAnswer(
  kept: Kept,
  { folder, command }: Asked,
  { answer, at, dayOf }: { answer: Answer; at: number; dayOf: (at: number) => number },
): Kept {
  if (exactRule(command) === null) return kept;
  const id = idOf(folder, command);
  const before = kept.questions.find((one) => one.id === id && !isForgotten(one, at));
  const begun = before ?? {
    ...{ id, folder, command, count: 0, days: 0, since: at, last: at },
    state: "alike" as const,
  };
  const after = answered(begun, answer, { at, isNewDay: isNewDay(begun, at, dayOf) });
  const others = kept.questions.filter((one) => one.id !== id && !isForgotten(one, at));
  return { ...kept, questions: bounded([...others, after]) };
}

function answered(
  question: Question,
  answer: Answer,
  { at, isNewDay: isNew }: { at: number; isNewDay: boolean },
): Question {
  if (question.state === "hidden") return question;
  const last = Math.max(at, question.last);
  if (answer === "other") return { ...question, last, state: "mixed" };
  return {
    ...question,
    last,
    count: question.count + 1,
    days: question.days + (isNew ? 1 : 0),
  };
}

/** A clock that was set back makes no new day. */
const isNewDay = ({ count, last }: Question, at: number, dayOf: (at: number) => number): boolean =>
  count === 0 || dayOf(at) > dayOf(last);

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
export function withHidden(kept: Kept, id: string): Kept | null {
  const question = kept.questions.find((one) => one.id === id);
  if (!question) return null;
  const others = kept.questions.filter((one) => one !== question);
  return { ...kept, questions: bounded([...others, { ...question, state: "hidden" }]) };
}

/** What a person is told: the most frequent first. */
export function alwaysAllowed({ questions }: Kept, now: number): AlwaysAllowed[] {
  return questions
    .flatMap(({ state, days, ...told }): AlwaysAllowed[] => {
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
