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

/** One of our sample agents: tasks without end, in each round about another subject. */
export interface Script {
  runtime: SampleRuntime;
  title: string;
  workSeconds: number;
  /** Between two tasks; absent: it goes on at once, and rests only when it is stopped. */
  restSeconds?: number;
  /** Each task ends with a limit of use, from the next full minute on for so long. */
  limitSeconds?: number;
  /** The step that it begins with. */
  place?: number;
  /** Of its context, in percent; absent: it does not tell. */
  filled?: number;
  /** It waits for what it is told first. */
  isFresh?: boolean;
  subjects: readonly string[];
  /** Templates of tasks. */
  tasks: readonly Task[];
}

export interface Task {
  prompt: string;
  steps: readonly SampleStep[];
}

/** What an agent works on for a while, and may ask at its end. */
export type SampleStep = {
  /** How its plan calls this step. */
  doing: string;
  /** Said halfway. */
  note: string;
  /** What keeps it from going on while it asks. */
  blocker?: string;
} & (
  | { ask: "permission"; command: string; about: string; rule: string }
  | {
      ask: "question";
      topic: string;
      question: string;
      choices: readonly { label: string; description: string }[];
    }
  /** `file` is the name of the one that holds it. */
  | { ask: "plan"; title: string; file: string; lines: readonly string[] }
  | { ask?: never }
);

/** The step of a place, counted from 0 over all rounds, and the task that it is of. */
export function stepAt({ subjects, tasks }: Script, place: number) {
  const all = tasks.flatMap((task) => task.steps.map((_, index) => ({ task, index })));
  const found = all[place % all.length];
  const subject = numbered(subjects, Math.floor(place / all.length));
  // Our own data: the tests read each request back off its screen.
  const task = fill(found?.task, { subject, slug: subject.replaceAll(" ", "-") }) as Task;
  const index = found?.index ?? 0;
  const step = task.steps[index];
  if (!step) throw new Error("a sample agent without a task");
  return { task, step, index };
}

/** One after another, and with a number from the second time on. */
function numbered(words: readonly string[], place: number): string {
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
export function menuOf(step: SampleStep, runtime: SampleRuntime): SampleRow[] {
  switch (step.ask) {
    case "permission":
      return [
        row("Yes", "choose"),
        row(`Yes, and don’t ask again for: ${step.rule}`, "choose"),
        row("No", "refuse"),
      ];
    case "question":
      return [
        ...step.choices.map((choice) => ({ ...choice, does: "choose" as const })),
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
    default:
      return [];
  }
}

function row(label: string, does: SampleRow["does"], description = ""): SampleRow {
  return { label, does, description };
}

export const SAMPLE_AGENTS: Readonly<Record<string, Script>> = data.agents;

/** What the person wrote begins with `> `; the rest the agent said. */
export const ENDED: readonly {
  runtime: SampleRuntime;
  hoursAgo: number;
  lines: readonly string[];
}[] = data.ended;

/** Text by path. */
export type SampleFiles = Readonly<Record<string, string>>;
/** Of the first commit, of one on a branch, and of nobody's commit yet. */
export const REPOSITORY: Readonly<Record<"main" | "branch" | "changed", SampleFiles>> =
  data.repository;
