import { appearanceOfAgent } from "../lifecycle.ts";
import type { Appearance } from "../pane.ts";
import type { Card } from "./cards.ts";

/** What one line of a list says of a card. */
export type Brief =
  | { readonly kind: "asks"; readonly question: string }
  | { readonly kind: "uncertain" | "failed" | "over" | "finished" }
  | {
      readonly kind: "changed";
      readonly hasNewGoal: boolean;
      readonly blocked: number;
      readonly unblocked: number;
      readonly decided: number;
      readonly done: number;
    };

/** What needs a person first: the oldest question, an answer in doubt, a failure; else what changed. */
export function briefOf({ latest }: Card): Brief {
  if (latest === null) return { kind: "over" };
  const { agent, decisions, changes } = latest;
  if (decisions.some(({ status }) => status === "unknown")) return { kind: "uncertain" };
  const asked = decisions.find(({ status }) => status === "pending");
  if (asked !== undefined) return { kind: "asks", question: asked.title };
  if (agent.lifecycle === "error") return { kind: "failed" };
  const brief = {
    kind: "changed" as const,
    hasNewGoal: changes.goal_changed !== undefined,
    blocked: changes.new_blockers?.length ?? 0,
    unblocked: changes.resolved_blockers?.length ?? 0,
    decided: changes.decisions_resolved?.length ?? 0,
    done: changes.completed?.length ?? 0,
  };
  const isFinished = changes.lifecycle_changed?.to === "completed";
  return isFinished && brief.blocked + brief.done === 0 ? { kind: "finished" } : brief;
}

/** The shape beside its name. */
export function shapeOf({ drawn, latest }: Card): Appearance {
  const { agent, decisions } = latest ?? drawn;
  if (latest === null) return appearanceOfAgent(agent);
  if (decisions.some(({ status }) => status === "unknown")) return "stale";
  if (decisions.some(({ status }) => status === "pending")) return "needs_input";
  return appearanceOfAgent(agent);
}
