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
import { CaseDraft } from "./explain.ts";
import { ConfigChangedFrame, DeltaFrame, HelloFrame, StateFrame } from "./frames.ts";
import { GrantsReply, GrantState, PhoneState } from "./access.ts";
import { PaneState } from "./pane.ts";

// Schemas as plain tables for `read.ts`, reduced to closed lists of words. The bundler calls these
// functions when it builds the page (they are imported as macros) and inserts their results: the
// schema library would be a third of the first load.

/** What is checked in a value from the wire. A word outside an `enum` comes from a newer server. */
export type Shape =
  | { readonly enum: readonly string[] }
  | { readonly list: Shape }
  | { readonly record: Shape }
  /** The value may be null or absent. */
  | { readonly maybe: Shape }
  | {
      readonly members: Readonly<Record<string, Shape>>;
      /** Required members. */
      readonly needs?: readonly string[];
    }
  /** Told apart by their member `type`. */
  | { readonly frames: Readonly<Record<string, Shape>> };

// The workspace reads the event itself, by code that is loaded later.
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

const READ = {
  ...{ AgentEvent, AgentList, AgentSession, DecisionList, MessageList, MessageSearch },
  ...{ StepList, Timeline, CaseDraft, FatesReply, RecordReply },
  ...{ GrantsReply, GrantState, PhoneState },
};
export type ReadBodies = { [Name in keyof typeof READ]: z.infer<(typeof READ)[Name]> };

export const shapeNamed = (name: keyof ReadBodies): Shape => shapeOf(READ[name]);

/** All members are required: a missing one could hide a question, or be saved unseen. */
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
 * Null where a schema holds no closed list.
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
  // A value that may be null and absent has one `maybe`.
  if (name === "maybe" && shape !== null && "maybe" in shape) return shape;
  // An object with one of the three names.
  return shape === null ? null : ({ [name]: shape } as unknown as Shape);
}
