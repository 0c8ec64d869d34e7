/** Names of the sheets about the session that is open. */
export const AGENT_SHEETS = ["agent-menu", "agent-pane", "agent-history"] as const;
export type AgentSheetName = (typeof AGENT_SHEETS)[number];
