import { laterView } from "../parts/lazy.tsx";

const loadAgentViews = async () => (await import("./views.ts")).AGENT_VIEWS;

export const AgentInspector = laterView(async () => (await loadAgentViews()).AgentInspector);
export const AgentOfPane = laterView(async () => (await loadAgentViews()).AgentOfPane);
export const AgentScreen = laterView(async () => (await loadAgentViews()).AgentScreen);
export const AgentSheet = laterView(async () => (await loadAgentViews()).AgentSheet);
export const SessionList = laterView(async () => (await loadAgentViews()).SessionList);
export const WholeTimeline = laterView(async () => (await loadAgentViews()).WholeTimeline);
