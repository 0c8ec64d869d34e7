import type { SampleRuntime } from "./requests.ts";

/** One sample pane: its place, and the program in it (absent: a shell). */
export interface SamplePane {
  session: string;
  window: string;
  /** The name that the program runs under, which is how it is recognised. */
  name?: string;
  program?: string;
  /** Of an agent, whose session is logged. */
  runtime?: SampleRuntime;
}

export const AGENT_NAMES: Readonly<Record<SampleRuntime, string>> = {
  agent_a: "claude-demo",
  agent_b: "codex-demo",
};
const agent = (window: string, program: string, runtime: SampleRuntime): SamplePane => ({
  ...{ session: "shop", window, name: AGENT_NAMES[runtime], program, runtime },
});

export const PANES: readonly SamplePane[] = [
  agent("checkout", "permission", "agent_a"),
  agent("storage", "questions", "agent_a"),
  agent("discounts", "discounts", "agent_a"),
  agent("search", "search", "agent_b"),
  agent("orders", "worker", "agent_b"),
  agent("catalogue", "busy", "agent_b"),
  agent("pages", "limited", "agent_a"),
  { session: "ops", window: "release", name: "release", program: "release" },
  { session: "ops", window: "build", name: "build", program: "build" },
  { session: "ops", window: "import", name: "import-orders", program: "imports" },
  { session: "home", window: "shell" },
  { session: "home", window: "notes" },
];

/** Folders in which panes can be made; those of a session of that name begin there. */
export const PROJECTS = ["shop", "ops"];
/** What New starts. */
export const FRESH: Readonly<Record<SampleRuntime, string>> = {
  agent_a: "fresh_a",
  agent_b: "fresh_b",
};
