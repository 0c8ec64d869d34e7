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
