import type { AlertReason, Suppression } from "../protocol/push.ts";
import type { PaneSight } from "../terminal/transitions.ts";
import type { Notice } from "./notices.ts";
import type { DigestReason, PaneReason } from "./occasion.ts";
import type { Standing } from "./standing.ts";

/** What is to be done for one device. */
export type Decision =
  | {
      do: "alert";
      device: string;
      tag: string;
      pane: PaneSight;
      reason: PaneReason;
      /** Panes that it stands for: more than one only after quiet hours. */
      identities: string[];
    }
  | { do: "digest"; device: string; reason: DigestReason }
  /** The cause of an alert is gone. */
  | { do: "answered"; device: string; tag: string; pane: string; reason: string }
  | { do: "suppress"; device: string; pane: string | null; reason: AlertReason; why: Suppression };

export function suppress({ occasion }: Standing, device: string, why: Suppression): Decision {
  const pane = occasion.pane?.id ?? null;
  return { do: "suppress", device, pane, reason: occasion.reason, why };
}

export function answered({ device, tag, pane, reason }: Notice): Decision {
  return { do: "answered", device, tag, pane, reason };
}
