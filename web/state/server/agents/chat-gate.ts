import type { SeenAgent } from "../../../../src/protocol/tolerant-agents.ts";
import { writingObstacle, type WritingObstacle } from "../../../model/chat/writing.ts";
import type { OutgoingMessage } from "../../../model/chat/outgoing.ts";
import type { PaneGate } from "../pane-gate.ts";
import type { Panes } from "../panes.ts";

export interface ChatGateDeps {
  readonly panes: Pick<Panes, "find" | "latest">;
  readonly connected: () => boolean;
  /** The newest that is known of an agent. */
  readonly latest: (agentId: string) => SeenAgent | null;
  readonly isFresh: (agentId: string) => boolean;
  readonly gate: PaneGate;
}

/** Whether an agent can be written to now. */
export class ChatGate {
  readonly #deps: ChatGateDeps;

  constructor(deps: ChatGateDeps) {
    this.#deps = deps;
  }

  /** `own`: the message of this agent itself that is on its way, or in doubt. */
  obstacle(agent: SeenAgent, own?: OutgoingMessage["step"]): WritingObstacle | null {
    const { connected, gate, isFresh, panes } = this.#deps;
    const { pane_id: paneId } = agent;
    return writingObstacle({
      agent,
      pane: paneId === null ? null : panes.find(paneId),
      isConnected: connected(),
      isFresh: isFresh(agent.id),
      isDoubted: own === "uncertain" || (paneId !== null && gate.isDoubted(paneId)),
      isBusy: own !== "sending" && paneId !== null && gate.isHeld(paneId),
    });
  }

  /** The pane of the agent, if that is still as it was pressed and takes a message; else null. */
  paneOf(pressed: SeenAgent): string | null {
    const agent = this.#deps.latest(pressed.id);
    if (agent === null || agent.pane_id === null) return null;
    const isSame =
      agent.binding_revision === pressed.binding_revision && agent.pane_id === pressed.pane_id;
    // What no frame has shown yet counts as well.
    this.#deps.panes.latest(agent.pane_id);
    return isSame && this.obstacle(agent) === null ? agent.pane_id : null;
  }
}
