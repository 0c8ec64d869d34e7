import type { JSX } from "preact";
import { useCallback } from "preact/hooks";
import { lastSaid } from "../../model/lifecycle.ts";
import type { Pane } from "../../model/pane.ts";
import type { Slot } from "../../model/queue/order.ts";
import { useWorkspace } from "../agents/use.ts";
import { more } from "../more.tsx";
import { Row, type RowLines } from "../parts/row.tsx";
import { SectionHeading } from "./queue.tsx";
import { EntryRow } from "./rows.tsx";

/** Agents that are done, below what waits: a look at them, or a tick, is all that they want. */
export function Finished({ slots }: { readonly slots: readonly Slot[] }): JSX.Element {
  const workspace = useWorkspace();
  const saidIn = useCallback(
    (pane: Pane): RowLines => ({
      second: lastSaid(pane, workspace?.known(pane.agent_id ?? "") ?? null),
    }),
    [workspace],
  );
  return (
    <section>
      <SectionHeading section="finished" count={slots.length} />
      <ul class="rows">
        {slots.map(({ key, paneId }) =>
          paneId === null ? (
            <EntryRow key={key} entryKey={key} paneId={null} section="finished" />
          ) : (
            <Row key={key} id={paneId} linesOf={saidIn} end={more.AgentTick} />
          ),
        )}
      </ul>
      <more.MarkFinished slots={slots} />
    </section>
  );
}
