import { z } from "zod";

const whole = z
  .string()
  .regex(/^[+-]?\d+$/)
  .transform(Number);
const limitUpTo = (most: number, usual: number) =>
  whole.pipe(z.int().min(1).max(most)).default(usual);
const Cursor = z.string().nullable().default(null);
/** Epoch seconds as text; that they are finite and in order is the endpoint's to say. */
const Time = z
  .string()
  .regex(/^[+-]?(?:\d+\.?\d*|\.\d+)(?:e[+-]?\d+)?$|^[+-]?(?:nan|inf|infinity)$/i)
  .transform((text) => Number(text))
  .nullable()
  .default(null);

export const PageQuery = z.object({ cursor: Cursor, limit: limitUpTo(100, 50) });
export type PageQuery = z.infer<typeof PageQuery>;

export const DecisionsQuery = PageQuery.extend({
  status: z.string().nullable().default(null),
  agent_id: z.string().nullable().default(null),
});
export type DecisionsQuery = z.infer<typeof DecisionsQuery>;

export const MessagesQuery = z.object({
  cursor: Cursor,
  limit: limitUpTo(200, 100),
  q: z.string().max(200).nullable().default(null),
  role: z.string().nullable().default(null),
  after: Time,
  before: Time,
  /** `search_v1`: id of the message that the page is to stand around. */
  around: z.string().nullable().default(null),
  /** `search_v1`: `newer_cursor` of a page. */
  newer: Cursor,
});
export type MessagesQuery = z.infer<typeof MessagesQuery>;

/** Around the message with that id; without one, the newest. */
export const StepsQuery = z.object({ around: z.string().nullable().default(null) });

export const SearchQuery = MessagesQuery.omit({ around: true, newer: true }).extend({
  q: z.string().max(200),
  limit: limitUpTo(100, 50),
});
export type SearchQuery = z.infer<typeof SearchQuery>;

export const UnbindQuery = z.object({ expected_binding_revision: whole.pipe(z.int()) });
export type UnbindQuery = z.infer<typeof UnbindQuery>;
