import { bodyReader, type SeenBody } from "./read.ts";
import { shapeNamed } from "./shapes.ts" with { type: "macro" };

// What a client reads of the agent workspace and of reviews. It loads with the workspace.

export type SeenAgent = SeenBody<"AgentSession">;
export type SeenContext = SeenAgent["context"];
export type SeenMessageList = SeenBody<"MessageList">;
export type SeenMessage = SeenMessageList["messages"][number];
export type SeenMessageSearch = SeenBody<"MessageSearch">;
export type SeenDecision = SeenBody<"DecisionList">["decisions"][number];
export type SeenTimelineEvent = SeenBody<"Timeline">["events"][number];
export type SeenStepList = SeenBody<"StepList">;
export type SeenStep = SeenStepList["steps"][number];
export type SeenReview = SeenBody<"ReviewState">;

export const readAgentEvent = bodyReader<"AgentEvent">(shapeNamed("AgentEvent"), "event");
export const readAgent = bodyReader<"AgentSession">(shapeNamed("AgentSession"), "agent");
export const readAgents = bodyReader<"AgentList">(shapeNamed("AgentList"), "agents");
export const readTimeline = bodyReader<"Timeline">(shapeNamed("Timeline"), "timeline");
export const readSteps = bodyReader<"StepList">(shapeNamed("StepList"), "steps");
export const readMessages = bodyReader<"MessageList">(shapeNamed("MessageList"), "messages");
export const readSaid = bodyReader<"MessageSearch">(shapeNamed("MessageSearch"), "finds");
export const readDecisions = bodyReader<"DecisionList">(shapeNamed("DecisionList"), "decisions");
export const readReview = bodyReader<"ReviewState">(shapeNamed("ReviewState"), "review");
export const readReviewedAll = bodyReader<"ReviewedAll">(shapeNamed("ReviewedAll"), "review");
export const readReviewed = bodyReader<"Reviewed">(shapeNamed("Reviewed"), "review");

export type SeenCaseDraft = SeenBody<"CaseDraft">;

export const readCaseDraft = bodyReader<"CaseDraft">(shapeNamed("CaseDraft"), "case");
export const readCaseSaved = bodyReader<"CaseSaved">(shapeNamed("CaseSaved"), "case");

export type SeenPhoneState = SeenBody<"PhoneState">;
export type SeenGrant = SeenBody<"GrantState">;

export const readPhoneState = bodyReader<"PhoneState">(shapeNamed("PhoneState"));
export const readPairingLink = bodyReader<"PairingLink">(shapeNamed("PairingLink"));
export const readMadeToken = bodyReader<"PairReply">(shapeNamed("PairReply"));
export const readGrants = bodyReader<"GrantsReply">(shapeNamed("GrantsReply"));
export const readGrant = bodyReader<"GrantState">(shapeNamed("GrantState"));
/** What of a device that was removed is left. */
export const readRemoved = bodyReader<"GrantRemoved">(shapeNamed("GrantRemoved"));

export type SeenRecord = SeenBody<"RecordReply">;
export type SeenFates = SeenBody<"FatesReply">;
export type SeenAct = SeenRecord["acts"][number];
export type SeenAccessEvent = SeenRecord["events"][number];

export const readRecord = bodyReader<"RecordReply">(shapeNamed("RecordReply"));
export const readFates = bodyReader<"FatesReply">(shapeNamed("FatesReply"));
