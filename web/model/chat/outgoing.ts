import type { SeenMessage } from "../../../src/protocol/tolerant-agents.ts";

/** Where a message stands that was sent from here. */
export type OutgoingMessage =
  /** On its way, or looked for. */
  | { readonly step: "sending" }
  | { readonly step: "sent"; readonly message: SeenMessage }
  /** Nothing was sent; the text is back. `reason` is the server's, empty where it gave none. */
  | { readonly step: "refused"; readonly reason: string }
  /** Nothing was sent: the agent is not any more as it was on the screen. */
  | { readonly step: "changed" }
  /** Nothing was sent: what is written to stands there too short. */
  | { readonly step: "moved" }
  /** It may have arrived: its terminal has to be looked at. */
  | { readonly step: "uncertain" };
