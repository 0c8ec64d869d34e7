import type { Poller } from "../terminal/poller.ts";
import type { TerminalProvider } from "../terminal/provider.ts";

/** One machine whose panes are watched. */
export interface Machine {
  readonly provider: Pick<TerminalProvider, "info" | "send" | "processes">;
  readonly poller: Pick<
    Poller,
    "start" | "stop" | "wake" | "read" | "recall" | "acted" | "seen" | "health" | "pass"
  >;
}
