// Bodies that the later part of the page reads.
import { bodyReader, type TolerantBody } from "./read.ts";
import { shapeNamed } from "./shapes.ts" with { type: "macro" };

export type SeenAgent = TolerantBody<"AgentSession">;
export type SeenContext = SeenAgent["context"];
export type SeenMessageList = TolerantBody<"MessageList">;
export type SeenMessage = SeenMessageList["messages"][number];
export type SeenMessageSearch = TolerantBody<"MessageSearch">;
export type SeenDecision = TolerantBody<"DecisionList">["decisions"][number];
export type SeenTimelineEvent = TolerantBody<"Timeline">["events"][number];
export type SeenStepList = TolerantBody<"StepList">;
export type SeenStep = SeenStepList["steps"][number];
export type SeenReview = TolerantBody<"ReviewState">;

export const readAgentEvent = bodyReader<"AgentEvent">(shapeNamed("AgentEvent"), "event");
export const readAgent = bodyReader<"AgentSession">(shapeNamed("AgentSession"), "agent");
export const readAgents = bodyReader<"AgentList">(shapeNamed("AgentList"), "agents");
export const readTimeline = bodyReader<"Timeline">(shapeNamed("Timeline"), "timeline");
export const readSteps = bodyReader<"StepList">(shapeNamed("StepList"), "steps");
export const readMessages = bodyReader<"MessageList">(shapeNamed("MessageList"), "messages");
export const readMessageSearch = bodyReader<"MessageSearch">(shapeNamed("MessageSearch"), "finds");
export const readDecisions = bodyReader<"DecisionList">(shapeNamed("DecisionList"), "decisions");
export const readReview = bodyReader<"ReviewState">(shapeNamed("ReviewState"), "review");
export const readReviewMarks = bodyReader<"ReviewMarks">(shapeNamed("ReviewMarks"), "review");
export const readReviewMark = bodyReader<"ReviewMark">(shapeNamed("ReviewMark"), "review");

export type SeenCaseDraft = TolerantBody<"CaseDraft">;

export const readCaseDraft = bodyReader<"CaseDraft">(shapeNamed("CaseDraft"), "case");
export const readCaseSaved = bodyReader<"CaseSaved">(shapeNamed("CaseSaved"), "case");

export type SeenPhoneState = TolerantBody<"PhoneState">;
export type SeenGrant = TolerantBody<"GrantState">;

export const readPhoneState = bodyReader<"PhoneState">(shapeNamed("PhoneState"));
export const readPairingLink = bodyReader<"PairingLink">(shapeNamed("PairingLink"));
export const readPairReply = bodyReader<"PairReply">(shapeNamed("PairReply"));
export const readGrants = bodyReader<"GrantsReply">(shapeNamed("GrantsReply"));
export const readGrant = bodyReader<"GrantState">(shapeNamed("GrantState"));
export const readGrantRemoval = bodyReader<"GrantRemoval">(shapeNamed("GrantRemoval"));

type SeenRecord = TolerantBody<"RecordReply">;
export type SeenFates = TolerantBody<"FatesReply">;
export type SeenAct = SeenRecord["acts"][number];
export type SeenAccessEvent = SeenRecord["events"][number];

export const readRecord = bodyReader<"RecordReply">(shapeNamed("RecordReply"));
export const readFates = bodyReader<"FatesReply">(shapeNamed("FatesReply"));
