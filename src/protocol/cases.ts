import { z } from "zod";
import { PaneKind, PaneStatus } from "./pane.ts";

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
