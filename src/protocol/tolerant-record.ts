import type { FatesReply, RecordReply } from "./acts.ts";
import { bodyReader, type Seen } from "./read.ts";
import { recordShapes } from "./shapes.ts" with { type: "macro" };

export type SeenRecord = Seen<RecordReply>;
export type SeenFates = Seen<FatesReply>;
export type SeenAct = SeenRecord["acts"][number];
export type SeenAccessEvent = SeenRecord["events"][number];

const SHAPES = recordShapes();

export const readRecord = bodyReader<RecordReply>(SHAPES.record);
export const readFates = bodyReader<FatesReply>(SHAPES.fates);
