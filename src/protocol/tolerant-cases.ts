import type { CaseDraft, CaseSaved } from "./cases.ts";
import { nullable, object, type Reading, reading, text, texts } from "./read.ts";

// What a client reads of `screen_cases_v1`; how it reads: `read.ts`. It loads with the explain sheet.

/** Kind, status and rule are what the explain sheet has said before. */
export type SeenCaseDraft = Pick<CaseDraft, "draft" | "lines" | "title" | "command" | "process">;

const draft = object<SeenCaseDraft>({
  draft: text,
  lines: texts,
  title: text,
  command: text,
  process: nullable(text),
});
const saved = object<CaseSaved>({ name: text });

export const readCaseDraft = (body: unknown): Reading<SeenCaseDraft> =>
  reading(() => draft(body, "case"));
export const readCaseSaved = (body: unknown): Reading<CaseSaved> =>
  reading(() => saved(body, "case"));
