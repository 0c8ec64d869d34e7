import { bodyReader, type SeenBody } from "./read.ts";
import { shapeNamed } from "./shapes.ts" with { type: "macro" };

// What a client reads of `screen_cases_v1`. It loads with the explain sheet.

export type SeenCaseDraft = SeenBody<"CaseDraft">;

export const readCaseDraft = bodyReader<"CaseDraft">(shapeNamed("CaseDraft"), "case");
export const readCaseSaved = bodyReader<"CaseSaved">(shapeNamed("CaseSaved"), "case");
