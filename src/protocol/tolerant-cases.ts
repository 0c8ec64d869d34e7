import type { CaseDraft, CaseSaved } from "./cases.ts";
import { bodyReader, type Seen } from "./read.ts";
import { caseShapes } from "./shapes.ts" with { type: "macro" };

// What a client reads of `screen_cases_v1`. It loads with the explain sheet.

const SHAPES = caseShapes();

export type SeenCaseDraft = Seen<CaseDraft>;

export const readCaseDraft = bodyReader<CaseDraft>(SHAPES.draft, "case");
export const readCaseSaved = bodyReader<CaseSaved>(SHAPES.saved, "case");
