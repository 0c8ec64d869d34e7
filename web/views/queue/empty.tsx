import type { JSX } from "preact";
import { appearanceOf, lastLine } from "../../model/pane.ts";
import { useClient } from "../../state/client.ts";
import { queue as words } from "../../words/queue.ts";
import { Mark } from "../parts/mark.tsx";
import { Row } from "../parts/row.tsx";

/** The best state of the queue, and what works meanwhile. */
export function NothingWaits({ isBrief = false }: { readonly isBrief?: boolean }): JSX.Element {
  const { panes } = useClient();
  const working = panes.all.value.filter((pane) => appearanceOf(pane) === "working");
  return (
    <>
      <div class={`empty ${isBrief ? "brief" : ""}`}>
        {!isBrief && <Mark lit={false} />}
        <h2>{words.emptyTitle}</h2>
        <p>{sentence(panes.all.value.length, working.length)}</p>
      </div>
      {!isBrief && working.length > 0 && (
        <>
          <h2 class="section">
            {words.background}
            <span class="section-count numbers">{working.length}</span>
          </h2>
          <ul class="list">
            {working.map((pane) => (
              <Row key={pane.id} pane={pane} mono={lastLine(pane)} />
            ))}
          </ul>
        </>
      )}
    </>
  );
}

function sentence(panes: number, working: number): string {
  if (panes === 0) return words.emptyNoPanes;
  return working === 0 ? words.emptyQuiet : words.emptyWorking(working);
}
