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
  DecisionItem,
  Step,
  TimelineEvent,
} from "./agents.ts";
import { bodyReader, type Seen } from "./read.ts";
import type { Review, Reviewed, ReviewedAll } from "./review.ts";
import { agentShapes } from "./shapes.ts" with { type: "macro" };

// What a client reads of the agent workspace and of reviews. It loads with the workspace.

const SHAPES = agentShapes();

export type SeenContext = Seen<AgentContext>;
export type SeenAgent = Seen<AgentSession>;
export type SeenDecision = Seen<DecisionItem>;
export type SeenMessage = Seen<ChatMessage>;
export type SeenMessageList = Seen<MessageList>;
export type SeenMessageSearch = Seen<MessageSearch>;
export type SeenTimelineEvent = Seen<TimelineEvent>;
export type SeenStep = Seen<Step>;
export type SeenStepList = Seen<StepList>;
export type SeenReview = Seen<Pick<Review, "settings" | "due">>;

export const readAgentEvent = bodyReader<AgentEvent>(SHAPES.event, "event");
export const readAgent = bodyReader<AgentSession>(SHAPES.agent, "agent");
export const readAgents = bodyReader<AgentList>(SHAPES.agents, "agents");
export const readTimeline = bodyReader<Timeline>(SHAPES.timeline, "timeline");
export const readSteps = bodyReader<StepList>(SHAPES.steps, "steps");
export const readMessages = bodyReader<MessageList>(SHAPES.messages, "messages");
export const readSaid = bodyReader<MessageSearch>(SHAPES.said, "finds");
export const readDecisions = bodyReader<DecisionList>(SHAPES.decisions, "decisions");
export const readReview = bodyReader<Pick<Review, "settings" | "due">>(SHAPES.review, "review");
export const readReviewedAll = bodyReader<ReviewedAll>(SHAPES.reviewedAll, "review");
export const readReviewed = bodyReader<Reviewed>(SHAPES.reviewed, "review");
