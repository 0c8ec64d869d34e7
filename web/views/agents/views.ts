import { AgentInspector, AgentOfPane } from "./beside.tsx";
import { AgentScreen } from "./screen.tsx";
import { SessionList } from "./sessions.tsx";
import { AgentSheet } from "./sheets.tsx";
import { WholeTimeline } from "./timeline.tsx";

/** All that is drawn of sessions: loaded together, when the first of it is opened. */
export const AGENT_VIEWS = {
  AgentInspector,
  AgentOfPane,
  AgentScreen,
  AgentSheet,
  SessionList,
  WholeTimeline,
} as const;
