import { z } from "zod";

export const AboutKind = z.enum(["command", "file", "plan", "question", "text"]);
export type AboutKind = z.infer<typeof AboutKind>;

export const About = z.object({
  /** `text` is no question: an error, or the last words of an idle agent. */
  kind: AboutKind,
  text: z.string(),
  /** Path of a `file`, spelled as on the screen; null where there are several. */
  file: z.string().nullable(),
  /** Changed lines, where the program shows their number. */
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
 * `sending`: it may have left. `sent`: it has arrived. `confirmed`: the answered prompt is gone or
 * replaced, the input line has taken the text, or the agent has stopped. `refused`: nothing has
 * left. `unknown`: it may have arrived, also in part.
 */
export const ActState = z.enum(["sending", "sent", "confirmed", "refused", "unknown"]);
export type ActState = z.infer<typeof ActState>;

export const ActBy = z.object({ grant: z.string(), name: z.string() });
export type ActBy = z.infer<typeof ActBy>;

export const ActAbout = About.pick({ kind: true, text: true });
export type ActAbout = z.infer<typeof ActAbout>;

/** `act_ledger_v1`: one input that was sent to a pane, or was about to be. */
export const Act = z.object({
  /** The idempotency key of its request, or one made by the server. */
  key: z.string(),
  pane_id: z.string(),
  target: z.string(),
  kind: ActKind,
  /** Label of the option or name of the key; for a text its length or its first words. */
  label: z.string(),
  about: ActAbout.nullable(),
  by: ActBy,
  /** Epoch seconds. */
  at: z.number(),
  state: ActState,
  /** For `refused` and `unknown`: a code or a sentence. */
  reason: z.string().nullable(),
});
export type Act = z.infer<typeof Act>;
