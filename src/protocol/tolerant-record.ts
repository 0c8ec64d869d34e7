import type { FatesReply, RecordReply } from "./acts.ts";
import { readAs, type Reading, type Seen } from "./read.ts";
import { recordShapes } from "./shapes.ts" with { type: "macro" };

export type SeenRecord = Seen<RecordReply>;
export type SeenAct = SeenRecord["acts"][number];
export type SeenAccessEvent = SeenRecord["events"][number];

const SHAPES = recordShapes();

export const readRecord = (body: unknown): Reading<SeenRecord> =>
  readAs(SHAPES.record, () => body, "the reply");
export const readFates = (body: unknown): Reading<Seen<FatesReply>> =>
  readAs(SHAPES.fates, () => body, "the reply");
