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

export const readAgentEvent = bodyReader<"AgentEvent">(shapeNamed("AgentEvent"));
export const readAgent = bodyReader<"AgentSession">(shapeNamed("AgentSession"));
export const readAgents = bodyReader<"AgentList">(shapeNamed("AgentList"));
export const readTimeline = bodyReader<"Timeline">(shapeNamed("Timeline"));
export const readSteps = bodyReader<"StepList">(shapeNamed("StepList"));
export const readMessages = bodyReader<"MessageList">(shapeNamed("MessageList"));
export const readMessageSearch = bodyReader<"MessageSearch">(shapeNamed("MessageSearch"));
export const readDecisions = bodyReader<"DecisionList">(shapeNamed("DecisionList"));

export type SeenCaseDraft = TolerantBody<"CaseDraft">;

export const readCaseDraft = bodyReader<"CaseDraft">(shapeNamed("CaseDraft"));

export type SeenPhoneState = TolerantBody<"PhoneState">;
export type SeenGrant = TolerantBody<"GrantState">;

export const readPhoneState = bodyReader<"PhoneState">(shapeNamed("PhoneState"));
export const readGrants = bodyReader<"GrantsReply">(shapeNamed("GrantsReply"));
export const readGrant = bodyReader<"GrantState">(shapeNamed("GrantState"));

type SeenRecord = TolerantBody<"RecordReply">;
export type SeenFates = TolerantBody<"FatesReply">;
export type SeenAct = SeenRecord["acts"][number];
export type SeenAccessEvent = SeenRecord["events"][number];

export const readRecord = bodyReader<"RecordReply">(shapeNamed("RecordReply"));
export const readFates = bodyReader<"FatesReply">(shapeNamed("FatesReply"));
