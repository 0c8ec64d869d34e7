import { z } from "zod";

export const AboutKind = z.enum(["command", "file", "plan", "question", "text"]);
export type AboutKind = z.infer<typeof AboutKind>;

export const About = z.object({
  /** `text`: it asks nothing. What failed, or what an idle agent said last. */
  kind: AboutKind,
  text: z.string(),
  /** The path that a `file` names, as it is written there; null of several. */
  file: z.string().nullable(),
  /** Lines, where the program itself counts them. */
  added: z.number().int().nullable(),
  removed: z.number().int().nullable(),
});
export type About = z.infer<typeof About>;

export const ActKind = z.enum([
  "select",
  "key",
  "text",
  "message",
  "stop",
  "broadcast",
  "continue",
  "first_message",
  "reply",
  "create",
  "close",
]);
export type ActKind = z.infer<typeof ActKind>;

/**
 * `sending`: it may have left. `sent`: it has arrived. `confirmed`: the prompt that was answered is gone
 * or another, the input line has taken the text, the agent has stopped. `refused`: nothing has left.
 * `unknown`: it may have arrived, also in part.
 */
export const ActState = z.enum(["sending", "sent", "confirmed", "refused", "unknown"]);
export type ActState = z.infer<typeof ActState>;

export const ActBy = z.object({ grant: z.string(), name: z.string() });
export type ActBy = z.infer<typeof ActBy>;

/** What was answered, as a card tells it. */
export const ActAbout = About.pick({ kind: true, text: true });
export type ActAbout = z.infer<typeof ActAbout>;

/** `act_ledger_v1`: something that was sent to a pane, or was to be. */
export const Act = z.object({
  /** The idempotency key of its request, else one of ours. */
  key: z.string(),
  pane_id: z.string(),
  target: z.string(),
  kind: ActKind,
  /** Of the option, or the name of the key; of a text how long it is, or how it begins. */
  label: z.string(),
  about: ActAbout.nullable(),
  by: ActBy,
  /** Epoch seconds. */
  at: z.number(),
  state: ActState,
  /** Of `refused` and `unknown`: a code, else a sentence. */
  reason: z.string().nullable(),
});
export type Act = z.infer<typeof Act>;
