import data from "./scripts.yaml";

export type Parts = Readonly<Record<string, unknown>>;

/**
 * A recorded value with its parts, which stand as `{name}`: a text that is nothing but that becomes
 * the part itself. `$each` repeats `of` with the members of each item of that part, `$json` is its
 * value as one text. What a part holds is never read as a template.
 */
export function fill(template: unknown, parts: Parts): unknown {
  if (typeof template === "string") {
    const whole = /^\{(\w+)\}$/.exec(template)?.[1];
    if (whole !== undefined) return parts[whole];
    return template.replace(/\{(\w+)\}/g, (_, name) => String(parts[name]));
  }
  if (typeof template !== "object" || template === null) return template;
  if (Array.isArray(template)) return template.map((item) => fill(item, parts));
  const { $json, $each, of }: Parts = { ...template };
  if ($json !== undefined) return JSON.stringify(fill($json, parts));
  if (typeof $each === "string") {
    const items: unknown = parts[$each];
    return Array.isArray(items) ? items.map((item) => fill(of, { ...parts, ...item })) : [];
  }
  const members = Object.entries(template);
  return Object.fromEntries(members.map(([key, value]) => [fill(key, parts), fill(value, parts)]));
}

export type SampleRuntime = "agent_a" | "agent_b";

/** What a sample agent asks for. */
export type SampleRequest = PermissionRequest | QuestionRequest | PlanRequest;

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
export function requestAt(script: Script, place: number): SampleRequest {
  const step = script.steps[place % script.steps.length];
  if (!step) throw new Error(`the sample agent for ${JSON.stringify(script.task)} asks nothing`);
  // Our own data: the tests read each request back off its screen.
  return fill(step, subjectOf(script, place)) as SampleRequest;
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

export interface SampleRow {
  label: string;
  description: string;
  /** `write`: what is typed there is the answer, and its number only moves there. */
  does: "choose" | "write" | "refuse";
}

/** The rows of a request's dialog, as the runtime draws them. */
export function menuOf(request: SampleRequest, runtime: SampleRuntime): SampleRow[] {
  switch (request.ask) {
    case "permission":
      return [
        row("Yes", "choose"),
        row(`Yes, and don’t ask again for: ${request.rule}`, "choose"),
        row("No", "refuse"),
      ];
    case "question":
      return [
        ...request.choices.map((choice) => ({ ...choice, does: "choose" as const })),
        ...(runtime === "agent_a"
          ? [row("Type something.", "write"), row("Chat about this", "refuse")]
          : [row("None of the above", "choose", "Optionally, add details in notes (tab)")]),
      ];
    case "plan":
      return [
        row("Yes, and use auto mode", "choose"),
        row("Yes, manually approve edits", "choose"),
        row("Tell Claude what to change", "write", "shift+tab to approve with this feedback"),
      ];
  }
}

function row(label: string, does: SampleRow["does"], description = ""): SampleRow {
  return { label, does, description };
}

type Told = Omit<Script, "runtime">;

interface EndedSession {
  runtime: SampleRuntime;
  hoursAgo: number;
  /** What the person wrote begins with `> `; the rest the agent said. */
  lines: readonly string[];
}

/** Text by path. */
export type SampleFiles = Readonly<Record<string, string>>;

interface Scripts extends Record<"permissions" | "storage" | "discounts" | "search", Told> {
  worker: { subjects: readonly string[]; tasks: readonly Task[] };
  ended: readonly EndedSession[];
  /** Of the first commit, of one on a branch, and of nobody's commit yet. */
  repository: Readonly<Record<"main" | "branch" | "changed", SampleFiles>>;
}

// Our own data: the tests read each request back off its screen.
const { permissions, storage, discounts, search, worker, ended, repository }: Scripts = data;

export const PERMISSIONS: Script = { runtime: "agent_a", ...permissions };
export const STORAGE: Script = { runtime: "agent_a", ...storage };
export const DISCOUNTS: Script = { runtime: "agent_a", ...discounts };
export const SEARCH: Script = { runtime: "agent_b", ...search };

/** Agents that are started from the page: they begin with what they are told. */
export const FRESH_A: Script = { ...PERMISSIONS, task: "" };
export const FRESH_B: Script = { ...SEARCH, task: "" };

/** What an agent does that never asks. */
export const WORK = worker;

export const ENDED = ended;
export const REPOSITORY = repository;
