import data from "./scripts.yaml";

export type Parts = Readonly<Record<string, unknown>>;

/**
 * Fills a template with parts, which stand as `{name}`; a text that is nothing else becomes the part
 * itself. `$each` repeats `of` for each item of that part, `$json` makes one text of a value. Parts are
 * never read as templates.
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

/** A sample agent: tasks without end, in each round about another subject. */
export interface Script {
  runtime: SampleRuntime;
  title: string;
  workSeconds: number;
  /** Between two tasks; absent: it rests only when it is stopped. */
  restSeconds?: number;
  /** Each task ends with a usage limit, which holds from the next full minute on. */
  limitSeconds?: number;
  /** Its first step. */
  place?: number;
  /** Percent of its context; absent: it does not show it. */
  contextPercent?: number;
  /** It waits for its first message. */
  isFresh?: boolean;
  subjects: readonly string[];
  /** Templates of tasks. */
  tasks: readonly Task[];
}

export interface Task {
  prompt: string;
  steps: readonly SampleStep[];
}

/** Work for a while, perhaps with a request at its end. */
export type SampleStep = {
  /** Its line in the plan. */
  doing: string;
  /** Said halfway. */
  note: string;
  /** Why it cannot go on while it asks. */
  blocker?: string;
} & (
  | { ask: "permission"; command: string; about: string; rule: string }
  | {
      ask: "question";
      topic: string;
      question: string;
      choices: readonly { label: string; description: string }[];
    }
  /** `file` is the name of its file. */
  | { ask: "plan"; title: string; file: string; lines: readonly string[] }
  | { ask?: never }
);

/** The step at a place, counted from 0 over all rounds, and its task. */
export function stepAt({ subjects, tasks }: Script, place: number) {
  const all = tasks.flatMap((task) => task.steps.map((_, index) => ({ task, index })));
  const found = all[place % all.length];
  const subject = subjects[Math.floor(place / all.length) % subjects.length] ?? "";
  // Our own data: the tests read each request from its screen.
  const task = fill(found?.task, { subject, slug: subject.replaceAll(" ", "-") }) as Task;
  const index = found?.index ?? 0;
  const step = task.steps[index];
  if (!step) throw new Error("a sample agent without a task");
  return { task, step, index };
}

export interface SampleRow {
  label: string;
  description: string;
  /** `write`: a text field, whose number only moves the cursor there. */
  does: "choose" | "write" | "refuse";
}

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

/** Lines of the person begin with `> `. */
export const ENDED_SESSIONS: readonly {
  runtime: SampleRuntime;
  hoursAgo: number;
  lines: readonly string[];
}[] = data.ended;

/** Text by path. */
export type SampleFiles = Readonly<Record<string, string>>;
/** In the first commit, in one on a branch, and not committed yet. */
export const REPOSITORY: Readonly<Record<"main" | "branch" | "changed", SampleFiles>> =
  data.repository;
