import { z } from "zod";
import { PaneKind, PaneRef, PaneStatus } from "./pane.ts";

export const RuleTrace = z.object({
  rule: z.string(),
  matched: z.boolean(),
  /** The line of the screen that decided, or null. */
  line: z.string().nullable(),
  /** Index of that line in `lines`, or null. */
  line_index: z.number().int().nullable(),
  note: z.string().nullable(),
});
export type RuleTrace = z.infer<typeof RuleTrace>;

export const PaneSession = z.object({
  agent_id: z.string(),
  association: z.string(),
  /** Short sentences of evidence. */
  reasons: z.array(z.string()),
});
export type PaneSession = z.infer<typeof PaneSession>;

export const Explanation = z.object({
  id: PaneRef,
  kind: z.object({ value: z.string(), rule: z.string(), evidence: z.string().nullable() }),
  status: z.object({
    value: z.string(),
    rule: z.string(),
    line: z.string().nullable(),
    line_index: z.number().int().nullable(),
    /** Seconds since that line was first seen in this pane, or null. */
    line_age: z.number().nullable(),
  }),
  /** Lines from `start` (inclusive) to `end` (exclusive) of `lines`. */
  live_region: z.object({
    rule: z.string(),
    start: z.number().int(),
    end: z.number().int(),
    lines: z.array(z.string()),
  }),
  prompt: z
    .object({
      parser: z.string(),
      recognised: z.boolean(),
      question: z.string(),
      options: z.number().int(),
    })
    .nullable(),
  ruled_out: z.array(RuleTrace),
  /** Empty while the agent workspace is off. */
  sessions: z.array(PaneSession),
});
export type Explanation = z.infer<typeof Explanation>;

export const MAX_BLANKED_WORDS = 200;
export const MAX_BLANKED_CHARS = 500;
export const MAX_NOTE_CHARS = 2000;

/** What would be saved, held for a while so that what is saved is what was seen. */
export const CaseDraft = z.object({
  draft: z.string(),
  /** Seconds for which it is held. */
  expires_in: z.number(),
  lines: z.array(z.string()),
  title: z.string(),
  command: z.string(),
  /** Words of the process that was recognised, or null. */
  process: z.string().nullable(),
  kind: PaneKind,
  status: PaneStatus,
  rule: z.string(),
});
export type CaseDraft = z.infer<typeof CaseDraft>;

export const CaseSaveRequest = z.object({
  draft: z.string(),
  /** Words and paths to be blanked out wherever they stand. */
  blank: z.array(z.string().min(1).max(MAX_BLANKED_CHARS)).max(MAX_BLANKED_WORDS),
  /** What the pane really was; null where the person does not say. */
  status: PaneStatus.nullable(),
  note: z.string().max(MAX_NOTE_CHARS),
});
export type CaseSaveRequest = z.infer<typeof CaseSaveRequest>;

/** `name`: the folder below `cases` in the state directory. */
export const CaseSaved = z.object({ name: z.string() });
export type CaseSaved = z.infer<typeof CaseSaved>;
