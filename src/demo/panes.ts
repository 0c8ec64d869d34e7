import type { SampleRuntime } from "./requests.ts";

/** One sample pane: its place, and the program in it (absent: a shell). */
export interface SamplePane {
  session: string;
  window: string;
  /** The name that the program runs under, which is how it is recognised. */
  name?: string;
  program?: string;
  runtime?: SampleRuntime;
}

export const AGENT_NAMES: Readonly<Record<SampleRuntime, string>> = {
  agent_a: "claude-demo",
  agent_b: "codex-demo",
};
const agent = (window: string, program: string, runtime: SampleRuntime): SamplePane => ({
  ...{ session: "shop", window, name: AGENT_NAMES[runtime], program, runtime },
});

const PANES: readonly SamplePane[] = [
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

export interface SampleMachine {
  name: string;
  panes: readonly SamplePane[];
  /** Folders in which panes can be made; those of a session of that name begin there. */
  projects: readonly string[];
}

/** The one that the demo runs on. */
export const LAPTOP: SampleMachine = { name: "laptop", panes: PANES, projects: ["shop", "ops"] };

/** Others, reached over ssh. Their agents' logs are not read. */
export const MACHINES: readonly SampleMachine[] = [
  {
    name: "buildbox",
    panes: [
      { session: "ci", window: "nightly", name: AGENT_NAMES.agent_a, program: "permission" },
      { session: "ci", window: "artifacts", name: "release", program: "release" },
      { session: "ci", window: "compile", name: "build", program: "build" },
    ],
    projects: ["ci"],
  },
  {
    name: "gpu-1",
    panes: [
      { session: "train", window: "ranking", name: AGENT_NAMES.agent_b, program: "search" },
      { session: "train", window: "load", name: "import-orders", program: "imports" },
    ],
    projects: ["train"],
  },
];
/** What New starts. */
export const FRESH: Readonly<Record<SampleRuntime, string>> = {
  agent_a: "fresh_a",
  agent_b: "fresh_b",
};
