import type { Rule } from "../rule.ts";

export const shellRules: readonly Rule[] = [];
