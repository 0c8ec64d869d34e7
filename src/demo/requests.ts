import { fill } from "./template.ts";

export type SampleRuntime = "agent_a" | "agent_b";

/** What a sample agent asks for. */
export type Request = PermissionRequest | QuestionRequest | PlanRequest;

interface Step {
  /** What it does before it asks, and how its plan calls this step. */
  doing: string;
  /** Said halfway to the request. */
  note: string;
  /** What keeps it from going on while it asks. */
  blocker?: string;
}

export interface PermissionRequest extends Step {
  ask: "permission";
  command: string;
  about: string;
  rule: string;
}

export interface QuestionRequest extends Step {
  ask: "question";
  topic: string;
  question: string;
  choices: readonly { label: string; description: string }[];
}

export interface PlanRequest extends Step {
  ask: "plan";
  title: string;
  /** Name of the file that holds it. */
  file: string;
  lines: readonly string[];
}

/**
 * What one sample agent asks, without end: in each round the same steps about another subject, so
 * that no request ever reads like an earlier one.
 */
export interface Script {
  runtime: SampleRuntime;
  task: string;
  workSeconds: number;
  subjects: readonly string[];
  /** Templates of requests. */
  steps: readonly { doing: string }[];
}

export interface Task {
  prompt: string;
  steps: readonly { title: string; says: string }[];
}

/** The request of a place, counted from 0 over all rounds. */
export function requestAt(script: Script, place: number): Request {
  const step = script.steps[place % script.steps.length];
  if (!step) throw new Error(`the sample agent for ${JSON.stringify(script.task)} asks nothing`);
  // Our own data: the tests read each request back off its screen.
  return fill(step, subjectOf(script, place)) as Request;
}

/** The plan of the round in which a request stands, and how many of its steps are done before. */
export function planAt(script: Script, place: number): { titles: string[]; done: number } {
  const subject = subjectOf(script, place);
  const titles = script.steps.map(({ doing }) => String(fill(doing, subject)));
  return { titles, done: place % script.steps.length };
}

function subjectOf({ subjects, steps }: Script, place: number) {
  const subject = numbered(subjects, Math.floor(place / steps.length));
  return { subject, slug: subject.replaceAll(" ", "-") };
}

/** One after another, and with a number from the second time on. */
export function numbered(words: readonly string[], place: number): string {
  const time = Math.floor(place / words.length) + 1;
  const word = words[place % words.length] ?? "";
  return time === 1 ? word : `${word}-${time}`;
}
