import { z } from "zod";

/** `answered_v1`: an exact question that was always answered with the same plain yes. */
export const AlwaysAllowed = z.object({
  id: z.string(),
  folder: z.string(),
  command: z.string(),
  count: z.number().int(),
  /** Epoch seconds of the first and of the last of these answers. */
  since: z.number(),
  last: z.number(),
  /** What would allow exactly this: an entry of `permissions.allow` in `file` below the folder. */
  setting: z.object({ file: z.string(), rule: z.string() }),
});
export type AlwaysAllowed = z.infer<typeof AlwaysAllowed>;

export const AnsweredState = z.object({ questions: z.array(AlwaysAllowed) });
export type AnsweredState = z.infer<typeof AnsweredState>;
