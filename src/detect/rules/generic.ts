import type { Rule } from "../rule.ts";

export const genericRules: readonly Rule[] = [];
