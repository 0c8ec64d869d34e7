import type { RecordReply } from "./acts.ts";
import { readAs, type Reading, type Seen } from "./read.ts";
import { recordShape } from "./shapes.ts" with { type: "macro" };

export type SeenRecord = Seen<RecordReply>;
export type SeenAct = SeenRecord["acts"][number];
export type SeenAccessEvent = SeenRecord["events"][number];

const SHAPE = recordShape();

export const readRecord = (body: unknown): Reading<SeenRecord> =>
  readAs(SHAPE, () => body, "the reply");
