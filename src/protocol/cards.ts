import { z } from "zod";
import { About } from "./act.ts";
import { AgentLifecycle, AgentRuntime } from "./agents.ts";
import { Parked } from "./pane.ts";

/** In the order of the queue; a card stands in the first section that applies. */
export const CardSection = z.enum([
  "waiting",
  "errors",
  "blocked",
  "changed",
  "finished",
  "parked",
]);
export type CardSection = z.infer<typeof CardSection>;

export const CardLine = z.object({
  kind: z.enum(["goal", "now", "next", "blocked", "done", "said"]),
  text: z.string(),
});
export type CardLine = z.infer<typeof CardLine>;

/** News of an agent's work; the most important kind is first. */
export const CardNews = z.object({
  kind: z.enum(["blocked", "goal", "decided", "unblocked", "finished", "done", "now", "next"]),
  text: z.string(),
});
export type CardNews = z.infer<typeof CardNews>;

/** A session as its log tells. */
export const CardAgent = z.object({
  runtime: AgentRuntime,
  lifecycle: AgentLifecycle,
  context_percent: z.number().nullable(),
  parked: Parked.nullable(),
  /** Epoch seconds of the newest reviewed state; null where nothing was reviewed. */
  reviewed_at: z.number().nullable(),
  /** The newest reviewed state is older than all that is stored. */
  truncated: z.boolean(),
  /** Parts of its log could not be read. */
  degraded: z.boolean(),
});
export type CardAgent = z.infer<typeof CardAgent>;

/** `cards_v1`: an agent that needs a person, or a pane in which no agent is certain. */
export const Card = z.object({
  /** `agent:<id>` or `pane:<id>`. */
  key: z.string(),
  section: CardSection,
  /** Cards are sorted by it, then by key. It changes only when its own card changes. */
  rank: z.number(),
  /** Epoch seconds when the reason of its section began. */
  since: z.number(),
  /** The agent itself gives its question the priority high or critical. */
  urgent: z.boolean(),
  pane_id: z.string().nullable(),
  agent_id: z.string().nullable(),
  /** `hosts_v1`: null for this machine. */
  host: z.string().nullable(),
  title: z.string(),
  /** Labels of session and window; empty without a certain pane. */
  place: z.string(),
  about: About.nullable(),
  lines: z.array(CardLine),
  /** The news that fit on a card; `newer` counts all of them. */
  news: z.array(CardNews),
  /** Null without a certain session. */
  agent: CardAgent.nullable(),
  /** Null where it does not wait. */
  asks: z
    .object({
      /** The decision that is asked now; null where it is known from the screen alone. */
      decision_id: z.string().nullable(),
      /** Number of its other open decisions. */
      more: z.number().int(),
    })
    .nullable(),
  /** The snapshot that a review mark names; null where there is nothing to mark. */
  snapshot_id: z.string().nullable(),
  newer: z.number().int(),
});
export type Card = z.infer<typeof Card>;

export const CardsReply = z.object({ cards: z.array(Card).readonly() });
export type CardsReply = z.infer<typeof CardsReply>;

/**
 * `added` holds new cards whole, `changed` the members with another value, `order` the keys of all
 * cards where set or order changed: a card that it does not name is gone.
 */
export const CardsDelta = z.object({
  added: z.array(Card).optional(),
  changed: z
    .array(z.object({ key: z.string(), set: Card.omit({ key: true }).partial() }))
    .optional(),
  order: z.array(z.string()).optional(),
});
export type CardsDelta = z.infer<typeof CardsDelta>;
