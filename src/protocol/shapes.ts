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
import { AgentSession } from "./agents.ts";
import { CaseDraft, CaseSaved } from "./explain.ts";
import { ConfigChangedFrame, DeltaFrame, HelloFrame, StateFrame } from "./frames.ts";
import {
  GrantRemoval,
  GrantsReply,
  GrantState,
  PairingLink,
  PairReply,
  PhoneState,
} from "./access.ts";
import { PaneState } from "./pane.ts";
import { Review, ReviewMark, ReviewMarks } from "./review.ts";

// Where schemas hold words of closed lists, as plain values for `read.ts`. The bundler calls these
// functions when it builds the page (they are imported as macros) and puts their results in their
// place: the schema library would be a third of the first load.

/** What is looked at in a value from the wire. A word that is none of an `enum` is of a newer server. */
export type Shape =
  | { readonly enum: readonly string[] }
  | { readonly list: Shape }
  | { readonly record: Shape }
  /** It may be null, or absent. */
  | { readonly maybe: Shape }
  | {
      readonly members: Readonly<Record<string, Shape>>;
      /** What must be there. */
      readonly needs?: readonly string[];
    }
  /** Told apart by their member `type`. */
  | { readonly frames: Readonly<Record<string, Shape>> };

// What an event says is read with the workspace.
const UnreadEventFrame = AgentEventFrame.extend({ event: z.unknown() });

const FRAMES = [
  HelloFrame,
  StateFrame,
  DeltaFrame,
  ConfigChangedFrame,
  UnreadEventFrame,
  ResetFrame,
];

export const frameShape = (): Shape => ({
  frames: Object.fromEntries(FRAMES.map((one) => [one.shape.type.value, shapeOf(one)])),
});

/** The bodies that a page reads so, by their names. */
const READ = {
  ...{ AgentEvent, AgentList, AgentSession, DecisionList, MessageList, MessageSearch },
  ...{ StepList, Timeline, ReviewMark, ReviewMarks },
  ReviewState: Review.pick({ settings: true, due: true }),
  ...{ CaseDraft, CaseSaved, FatesReply, RecordReply },
  ...{ GrantRemoval, GrantsReply, GrantState, PairingLink, PairReply, PhoneState },
};
export type ReadBodies = { [Name in keyof typeof READ]: z.infer<(typeof READ)[Name]> };

export const shapeNamed = (name: keyof ReadBodies): Shape => shapeOf(READ[name]);

/** Of which nothing may be missing: what is not told would not be asked about, or saved unseen. */
const WHOLE: ReadonlySet<z.core.$ZodType> = new Set([PaneState, CaseDraft]);

function shapeOf(schema: z.ZodObject): Shape {
  const members = wordsAmong(schema.shape);
  if (!WHOLE.has(schema)) return { members };
  const named = Object.entries(schema.shape);
  return { members, needs: named.flatMap(([name, each]) => (each.isOptional() ? [] : [name])) };
}

function wordsAmong(schemas: Readonly<Record<string, z.core.$ZodType>>): Record<string, Shape> {
  const all = Object.entries(schemas).map(([name, each]) => [name, wordsIn(each)] as const);
  return Object.fromEntries(
    all.flatMap(([name, shape]) => (shape === null ? [] : [[name, shape]])),
  );
}

/**
 * Null where there are none.
 * @throws Error for a kind of schema that nothing on the wire has needed so far
 */
function wordsIn(schema: z.core.$ZodType): Shape | null {
  const { def } = (schema as z.core.$ZodTypes)._zod;
  switch (def.type) {
    case "string":
    case "number":
    case "boolean":
    case "unknown":
    case "literal":
      return null;
    case "enum":
      return { enum: Object.values(def.entries).map(String) };
    case "array":
      return within("list", def.element);
    case "record":
      return within("record", def.valueType);
    case "nullable":
    case "optional":
      return within("maybe", def.innerType);
    case "object":
      return WHOLE.has(schema) || Object.keys(wordsAmong(def.shape)).length > 0
        ? shapeOf(schema as z.ZodObject)
        : null;
    default:
      throw new Error(`the page cannot read a schema of type ${def.type}`);
  }
}

function within(name: "list" | "record" | "maybe", schema: z.core.$ZodType): Shape | null {
  const shape = wordsIn(schema);
  // What may be null and may be absent is told once.
  if (name === "maybe" && shape !== null && "maybe" in shape) return shape;
  // One of the three.
  return shape === null ? null : ({ [name]: shape } as unknown as Shape);
}
