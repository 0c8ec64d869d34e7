import { z } from "zod";
import { About } from "./act.ts";
import { AgentLifecycle, AgentRuntime } from "./agents.ts";
import { Parked } from "./pane.ts";

/** In their order. A card stands in the first that applies. */
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

/** What is new of an agent's work, in the order in which it needs a person. */
export const CardNews = z.object({
  kind: z.enum(["blocked", "goal", "decided", "unblocked", "finished", "done", "now", "next"]),
  text: z.string(),
});
export type CardNews = z.infer<typeof CardNews>;

/** What is known of a session by its log. */
export const CardAgent = z.object({
  runtime: AgentRuntime,
  lifecycle: AgentLifecycle,
  context_percent: z.number().nullable(),
  parked: Parked.nullable(),
  /** Epoch seconds of what was reviewed last; null where nothing was. */
  reviewed_at: z.number().nullable(),
  /** What was reviewed last is older than what is kept. */
  truncated: z.boolean(),
  /** Parts of its log could not be read. */
  degraded: z.boolean(),
});
export type CardAgent = z.infer<typeof CardAgent>;

/** `cards_v1`: something that needs a person: an agent, or a pane where none is certain. */
export const Card = z.object({
  /** `agent:<id>` or `pane:<id>`. */
  key: z.string(),
  section: CardSection,
  /** Ascending over all cards; equal ones by key. It changes with its own card alone. */
  rank: z.number(),
  /** Epoch seconds: since when it waits, failed or is blocked; when it changed or finished. */
  since: z.number(),
  /** The agent itself calls what it asks high or critical. */
  urgent: z.boolean(),
  pane_id: z.string().nullable(),
  agent_id: z.string().nullable(),
  /** `hosts_v1`: null for this machine. */
  host: z.string().nullable(),
  title: z.string(),
  /** Labels of session and window; empty where no pane is certain. */
  place: z.string(),
  about: About.nullable(),
  lines: z.array(CardLine),
  /** What a card shows of what is new; `newer` counts all of it. */
  news: z.array(CardNews),
  /** Null where no certain session has anything to tell. */
  agent: CardAgent.nullable(),
  /** Null where it does not wait. */
  asks: z
    .object({
      /** The decision that is asked now; null where only the screen asks. */
      decision_id: z.string().nullable(),
      /** Its other open decisions. */
      more: z.number().int(),
    })
    .nullable(),
  /** What a mark as reviewed names; null where there is nothing to mark. */
  snapshot_id: z.string().nullable(),
  newer: z.number().int(),
});
export type Card = z.infer<typeof Card>;

export const CardsReply = z.object({ cards: z.array(Card).readonly() });
export type CardsReply = z.infer<typeof CardsReply>;

/**
 * How a client's cards become the next ones: `added` holds new cards whole, `changed` the members of
 * known ones whose value changed, `order` the keys of all when set or order changed. What it does not
 * name is gone.
 */
export const CardsDelta = z.object({
  added: z.array(Card).optional(),
  changed: z
    .array(z.object({ key: z.string(), set: Card.omit({ key: true }).partial() }))
    .optional(),
  order: z.array(z.string()).optional(),
});
export type CardsDelta = z.infer<typeof CardsDelta>;
