import { z } from "zod";
import { PaneKind, PaneRef, PaneStatus } from "./pane.ts";

export const RuleTrace = z.object({
  rule: z.string(),
  matched: z.boolean(),
  /** The line of the screen that decided; null where none did. */
  line: z.string().nullable(),
  /** Index of that line in `lines`. */
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
    /** Seconds since that line was first read in this pane; null without a line. */
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

const MAX_BLANKED_WORDS = 200;
const MAX_BLANKED_CHARS = 500;
export const MAX_NOTE_CHARS = 2000;

/** A case as it would be saved. It is stored for a while: what is saved is what a person saw. */
export const CaseDraft = z.object({
  draft: z.string(),
  /** Seconds for which it is stored. */
  expires_in: z.number(),
  lines: z.array(z.string()),
  title: z.string(),
  command: z.string(),
  /** Command line of the recognised process; null without one. */
  process: z.string().nullable(),
  kind: PaneKind,
  status: PaneStatus,
  rule: z.string(),
});
export type CaseDraft = z.infer<typeof CaseDraft>;

export const CaseSaveRequest = z.object({
  draft: z.string(),
  /** Words and paths that are blanked out wherever they stand. */
  blank: z.array(z.string().min(1).max(MAX_BLANKED_CHARS)).max(MAX_BLANKED_WORDS),
  /** The right status; null where the person does not tell. */
  status: PaneStatus.nullable(),
  note: z.string().max(MAX_NOTE_CHARS),
});
export type CaseSaveRequest = z.infer<typeof CaseSaveRequest>;

/** `name`: a folder below `cases` in the state directory. */
export const CaseSaved = z.object({ name: z.string() });
export type CaseSaved = z.infer<typeof CaseSaved>;
