import { z } from "zod";

export const ConnectedSession = z.object({
  id: z.string(),
  ip: z.string(),
  ua: z.string(),
  /** Seconds since registration, rounded to 0.1. */
  age: z.number(),
});
export type ConnectedSession = z.infer<typeof ConnectedSession>;

export const SessionsReply = z.object({ sessions: z.array(ConnectedSession) });
export type SessionsReply = z.infer<typeof SessionsReply>;
