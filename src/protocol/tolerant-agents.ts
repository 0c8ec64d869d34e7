import type {
  AgentEvent,
  AgentList,
  DecisionList,
  MessageList,
  MessageSearch,
  StepList,
  Timeline,
} from "./agent-replies.ts";
import type {
  AgentContext,
  AgentSession,
  ChatMessage,
  ContextDelta,
  DecisionItem,
  Step,
  TimelineEvent,
} from "./agents.ts";
import { type Reading, readAs, type Seen } from "./read.ts";
import type {
  Review,
  Reviewed,
  ReviewedAll,
  ReviewGroup,
  ReviewSettings,
  ReviewSummary,
} from "./review.ts";
import type { Shape } from "./shapes.ts";
import { agentShapes } from "./shapes.ts" with { type: "macro" };

// What a client reads of the agent workspace and of reviews. It loads with the workspace.

const SHAPES = agentShapes();

export type SeenContext = Seen<AgentContext>;
export type SeenDelta = Seen<ContextDelta>;
export type SeenAgent = Seen<AgentSession>;
export type SeenDecision = Seen<DecisionItem>;
export type SeenMessage = Seen<ChatMessage>;
export type SeenMessageList = Seen<MessageList>;
export type SeenMessageSearch = Seen<MessageSearch>;
export type SeenTimelineEvent = Seen<TimelineEvent>;
export type SeenStep = Seen<Step>;
export type SeenStepList = Seen<StepList>;
export type SeenReview = Seen<Review>;
export type SeenReviewSummary = Seen<ReviewSummary>;
export type SeenGroup = Seen<ReviewGroup>;
export type SeenAgentEvent = Seen<AgentEvent>;

export type SeenAgentFrame =
  | { type: "hello" | "ping"; cursor: number }
  | { type: "reset"; cursor: number; reason: string }
  | { type: "agent_event"; cursor: number; event: SeenAgentEvent }
  /** A frame of a newer server: to be ignored. */
  | { type: "unknown" };

export function readAgentFrame(text: string): Reading<SeenAgentFrame> {
  return readAs<SeenAgentFrame>(SHAPES.frame, () => JSON.parse(text), "frame");
}

/** Reads a body of the name that an error tells it by. */
const body =
  <T>(shape: Shape, name: string) =>
  (value: unknown): Reading<Seen<T>> =>
    readAs<Seen<T>>(shape, () => value, name);

export const readAgent = body<AgentSession>(SHAPES.agent, "agent");
export const readAgents = body<AgentList>(SHAPES.agents, "agents");
export const readTimeline = body<Timeline>(SHAPES.timeline, "timeline");
export const readSteps = body<StepList>(SHAPES.steps, "steps");
export const readMessages = body<MessageList>(SHAPES.messages, "messages");
export const readSaid = body<MessageSearch>(SHAPES.said, "finds");
export const readDecision = body<DecisionItem>(SHAPES.decision, "decision");
export const readDecisions = body<DecisionList>(SHAPES.decisions, "decisions");
export const readReview = body<Review>(SHAPES.review, "review");
export const readReviewSummary = body<ReviewSummary>(SHAPES.reviewSummary, "review");
export const readReviewSettings = body<ReviewSettings>(SHAPES.reviewSettings, "settings");
export const readReviewedAll = body<ReviewedAll>(SHAPES.reviewedAll, "review");
export const readReviewed = body<Reviewed>(SHAPES.reviewed, "review");
