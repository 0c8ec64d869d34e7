import type { Provenance } from "../../src/protocol/agents.ts";
import { lazy } from "./common.ts";

export const agents = {
  lifecycle: {
    observing: "Unknown",
    working: "Working",
    idle: "Idle",
    waiting: "Waiting",
    completed: "Finished",
    error: "Error",
    offline: "Offline",
    unknown: "Unknown",
  },

  sources: {
    visible_user_message: "your message",
    visible_assistant_message: "its message",
    runtime_plan: "its plan",
    runtime_task: "its task",
    runtime_title: "its title",
  } satisfies Record<Provenance, string>,
};

const date = lazy(
  () => new Intl.DateTimeFormat(undefined, { weekday: "long", day: "numeric", month: "long" }),
);

/** Epoch seconds as a day; `ago` is in whole days. */
export function dayText(at: number, ago: number): string {
  if (ago === 0) return "Today";
  return ago === 1 ? "Yesterday" : date().format(new Date(at * 1000));
}
