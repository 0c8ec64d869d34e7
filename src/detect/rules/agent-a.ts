import type { Rule } from "../rule.ts";

export const agentARules: readonly Rule[] = [];
