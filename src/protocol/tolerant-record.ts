import { bodyReader, type SeenBody } from "./read.ts";
import { shapeNamed } from "./shapes.ts" with { type: "macro" };

export type SeenRecord = SeenBody<"RecordReply">;
export type SeenFates = SeenBody<"FatesReply">;
export type SeenAct = SeenRecord["acts"][number];
export type SeenAccessEvent = SeenRecord["events"][number];

export const readRecord = bodyReader<"RecordReply">(shapeNamed("RecordReply"));
export const readFates = bodyReader<"FatesReply">(shapeNamed("FatesReply"));
