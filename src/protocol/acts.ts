import { z } from "zod";
import { Act, ActBy, ActKind } from "./act.ts";
import { IdempotencyKey } from "./input.ts";
import { PaneRef } from "./pane.ts";

export const AccessKind = z.enum([
  "token_made",
  "token_removed",
  "grant_made",
  "grant_changed",
  "grant_removed",
  "sign_refused",
  "settings_changed",
  "host_added",
  "host_removed",
]);
export type AccessKind = z.infer<typeof AccessKind>;

export const AccessEvent = z.object({
  kind: AccessKind,
  /** Name of the grant or host, keys of the settings, or address of the last refused sign-in. */
  what: z.string(),
  by: ActBy,
  at: z.number(),
  /** For refused sign-ins: how many in that hour. */
  count: z.number().int(),
});
export type AccessEvent = z.infer<typeof AccessEvent>;

const seq = z.number().int();
/** Newest first: a higher `seq` is newer. */
export const RecordReply = z.object({
  acts: z.array(Act.extend({ seq })),
  /** Empty for everybody but owners. */
  events: z.array(AccessEvent.extend({ seq })),
  /** The `before` of the next page; null where this is the last. */
  before: seq.nullable(),
});
export type RecordReply = z.infer<typeof RecordReply>;

/** What became of idempotency keys. One in neither list may have arrived: it is not sent again. */
export const FatesReply = z.object({
  acts: z.array(Act),
  /** Keys of requests that never arrived. */
  unseen: z.array(z.string()),
});
export type FatesReply = z.infer<typeof FatesReply>;

const MAX_ASKED_KEYS = 100;

export const ActsQuery = z.object({
  /** Separated by commas. */
  keys: z
    .string()
    .transform((keys) => keys.split(","))
    .pipe(z.array(IdempotencyKey).max(MAX_ASKED_KEYS))
    .optional(),
  before: z.coerce.number().int().positive().optional(),
  pane: PaneRef.optional(),
  by: z.string().max(160).optional(),
  kind: z.union([ActKind, AccessKind]).optional(),
});
export type ActsQuery = z.infer<typeof ActsQuery>;

/** `answered_v1`: a question that was always answered with the same plain yes. */
export const RoutineQuestion = z.object({
  id: z.string(),
  folder: z.string(),
  command: z.string(),
  count: z.number().int(),
  /** Epoch seconds of the first and the last answer. */
  since: z.number(),
  last: z.number(),
  /** The entry of `permissions.allow` in `file` (below `folder`) that allows exactly this. */
  setting: z.object({ file: z.string(), rule: z.string() }),
});
export type RoutineQuestion = z.infer<typeof RoutineQuestion>;

export const AnsweredState = z.object({ questions: z.array(RoutineQuestion) });
export type AnsweredState = z.infer<typeof AnsweredState>;
