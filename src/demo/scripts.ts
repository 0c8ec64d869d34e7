import type { Script, Task } from "./requests.ts";
import data from "./scripts.yaml";

type Told = Omit<Script, "runtime">;

interface Scripts extends Record<"permissions" | "storage" | "discounts" | "search", Told> {
  worker: { subjects: readonly string[]; tasks: readonly Task[] };
}

// Our own data: the tests read each request back off its screen.
const { permissions, storage, discounts, search, worker }: Scripts = data;

export const PERMISSIONS: Script = { runtime: "agent_a", ...permissions };
export const STORAGE: Script = { runtime: "agent_a", ...storage };
export const DISCOUNTS: Script = { runtime: "agent_a", ...discounts };
export const SEARCH: Script = { runtime: "agent_b", ...search };

/** Agents that are started from the page: they begin with what they are told. */
export const FRESH_A: Script = { ...PERMISSIONS, task: "" };
export const FRESH_B: Script = { ...SEARCH, task: "" };

/** What an agent does that never asks. */
export const WORK = worker;
