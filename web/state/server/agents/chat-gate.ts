import type { SeenAgent } from "../../../../src/protocol/tolerant-agents.ts";
import { writingObstacle, type WritingObstacle } from "../../../model/chat/writing.ts";
import type { Panes } from "../panes.ts";

export interface ChatGateDeps {
  readonly panes: Pick<Panes, "find" | "latest">;
  readonly connected: () => boolean;
  /** The newest that is known of an agent. */
  readonly latest: (agentId: string) => SeenAgent | null;
  readonly isFresh: (agentId: string) => boolean;
  /** Whether any other input to a pane is under way or in doubt, from wherever in this page. */
  readonly isPaneBusy: (paneId: string) => boolean;
  readonly isPaneDoubted: (paneId: string) => boolean;
}

/** Whether an agent can be written to now. */
export class ChatGate {
  readonly #deps: ChatGateDeps;

  constructor(deps: ChatGateDeps) {
    this.#deps = deps;
  }

  obstacle(agent: SeenAgent, isDoubted: boolean): WritingObstacle | null {
    const { connected, isFresh, isPaneBusy, isPaneDoubted, panes } = this.#deps;
    const { pane_id: paneId } = agent;
    return writingObstacle({
      agent,
      pane: paneId === null ? null : panes.find(paneId),
      isConnected: connected(),
      isFresh: isFresh(agent.id),
      isDoubted: isDoubted || (paneId !== null && isPaneDoubted(paneId)),
      isBusy: paneId !== null && isPaneBusy(paneId),
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
    return isSame && this.obstacle(agent, false) === null ? agent.pane_id : null;
  }
}
