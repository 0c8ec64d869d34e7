import type { Card } from "./cards.ts";
import type { CardsDeltaOf, DeltaOf } from "./delta.ts";
import type { HostState } from "./hosts.ts";
import type { NativeAgent, PaneState } from "./pane.ts";
import { readAs, type Tolerant } from "./read.ts";
import { frameShape } from "./shapes.ts" with { type: "macro" };

const FRAME = frameShape();

export type SeenNativeAgent = Tolerant<NativeAgent>;

export type SeenPane = Tolerant<PaneState> & { raw_kind?: string; raw_status?: string };

export type SeenHost = Tolerant<HostState>;
export type SeenCard = Tolerant<Card>;

export interface SeenState {
  type: "state";
  panes: SeenPane[];
  hosts?: SeenHost[];
  cards?: SeenCard[];
}

export type SeenFrame =
  | { type: "hello"; sid: string; cursor?: number }
  | SeenState
  | (DeltaOf<SeenPane> & { hosts?: SeenHost[]; cards?: CardsDeltaOf<SeenCard> })
  | { type: "config_changed" }
  | { type: "agent_event"; cursor: number; event: unknown }
  | { type: "reset"; cursor: number }
  /** A frame of a newer server, which is ignored. */
  | { type: "unknown" };

/** The only use of `FRAME`: the bundler inserts the whole shape at every use. */
const read = (parse: () => unknown) => readAs<SeenFrame>(FRAME, parse);

export const readFrame = (text: string): SeenFrame | null => read(() => JSON.parse(text));

export function readState(body: unknown): SeenState | null {
  const frame = read(() => body);
  return frame?.type === "state" ? frame : null;
}
