import type { CaseDraft, CaseSaved } from "./cases.ts";
import { readAs, type Seen } from "./read.ts";
import { caseShapes } from "./shapes.ts" with { type: "macro" };

// What a client reads of `screen_cases_v1`. It loads with the explain sheet.

const SHAPES = caseShapes();

export type SeenCaseDraft = Seen<CaseDraft>;

export const readCaseDraft = (body: unknown) =>
  readAs<SeenCaseDraft>(SHAPES.draft, () => body, "case");
export const readCaseSaved = (body: unknown) => readAs<CaseSaved>(SHAPES.saved, () => body, "case");
