import { z } from "zod";
import {
  AgentEvent,
  AgentEventFrame,
  AgentList,
  DecisionList,
  MessageList,
  MessageSearch,
  ResetFrame,
  StepList,
  Timeline,
} from "./agent-replies.ts";
import { FatesReply, RecordReply } from "./acts.ts";
import { AgentSession, ChatMessage } from "./agents.ts";
import { CaseDraft, CaseSaved } from "./cases.ts";
import { ConfigChangedFrame, DeltaFrame, HelloFrame, StateFrame } from "./frames.ts";
import { GrantRemoved, GrantsReply, GrantState } from "./grants.ts";
import { PairingLink, PairReply } from "./pairing.ts";
import { PhoneState } from "./phone.ts";
import { Review, Reviewed, ReviewedAll } from "./review.ts";

// What schemas say, as plain values for `read.ts`. The bundler calls these functions when it builds
// the page (they are imported as macros) and puts their results in their place: the schema library
// would be a third of the first load.

/** A value from the wire. A word that is none of an `enum` is of a newer server. */
export type Shape =
  | "string"
  | "number"
  | "boolean"
  | "any"
  | { readonly enum: readonly string[] }
  | { readonly list: Shape }
  | { readonly record: Shape }
  | { readonly nullable: Shape }
  | { readonly optional: Shape }
  | { readonly members: Readonly<Record<string, Shape>> }
  /** Told apart by their member `type`. */
  | { readonly frames: Readonly<Record<string, Shape>> };

// What an event says is read with the workspace.
const UnreadEventFrame = AgentEventFrame.extend({ event: z.unknown() });

export const frameShape = (): Shape =>
  shapeOf(
    z.discriminatedUnion("type", [
      HelloFrame,
      StateFrame,
      DeltaFrame,
      ConfigChangedFrame,
      UnreadEventFrame,
      ResetFrame.omit({ reason: true }),
    ]),
  );

export const caseShapes = () => ({ draft: shapeOf(CaseDraft), saved: shapeOf(CaseSaved) });

export const phoneShapes = () => ({
  state: shapeOf(PhoneState),
  link: shapeOf(PairingLink),
  token: shapeOf(PairReply),
  grants: shapeOf(GrantsReply),
  grant: shapeOf(GrantState),
  removed: shapeOf(GrantRemoved),
});

export const recordShapes = () => ({ record: shapeOf(RecordReply), fates: shapeOf(FatesReply) });

export const agentShapes = () => ({
  agent: shapeOf(AgentSession),
  agents: shapeOf(AgentList),
  decisions: shapeOf(DecisionList),
  message: shapeOf(ChatMessage),
  messages: shapeOf(MessageList),
  said: shapeOf(MessageSearch),
  timeline: shapeOf(Timeline),
  steps: shapeOf(StepList),
  review: shapeOf(Review.pick({ settings: true, due: true })),
  reviewed: shapeOf(Reviewed),
  reviewedAll: shapeOf(ReviewedAll),
  event: shapeOf(AgentEvent),
});

/** @throws Error for a kind of schema that nothing on the wire has needed so far */
function shapeOf(schema: z.core.$ZodType): Shape {
  const { def } = (schema as z.core.$ZodTypes)._zod;
  switch (def.type) {
    case "string":
    case "number":
    case "boolean":
      return def.type;
    case "unknown":
      return "any";
    case "enum":
      return { enum: Object.values(def.entries).map(String) };
    case "literal":
      return literal(def.values);
    case "array":
      return { list: shapeOf(def.element) };
    case "record":
      return { record: shapeOf(def.valueType) };
    case "nullable":
      return { nullable: shapeOf(def.innerType) };
    case "optional":
      return { optional: shapeOf(def.innerType) };
    case "object":
      return { members: shapesOf(def.shape) };
    case "union":
      return { frames: Object.assign({}, ...def.options.map(frame)) };
    default:
      throw new Error(`the page cannot read a schema of type ${def.type}`);
  }
}

function shapesOf(schemas: Readonly<Record<string, z.core.$ZodType>>): Record<string, Shape> {
  return Object.fromEntries(Object.entries(schemas).map(([name, each]) => [name, shapeOf(each)]));
}

function literal(values: readonly unknown[]): Shape {
  const [value] = values;
  if (typeof value === "boolean") return "boolean";
  return typeof value === "number" ? "number" : { enum: values.map(String) };
}

function frame(option: z.core.$ZodType): Record<string, Shape> {
  const shape = shapeOf(option);
  const type = typeof shape === "object" && "members" in shape ? shape.members["type"] : undefined;
  if (typeof type !== "object" || !("enum" in type)) throw new Error("a frame has no type");
  return { [type.enum[0] ?? ""]: shape };
}
