import type { JSX } from "preact";
import { appearanceOf, lastLine, type Pane } from "../../model/pane.ts";
import { useServer } from "../../state/client.ts";
import { queue as words } from "../../words/queue.ts";
import { useDerived } from "../parts/derived.ts";
import { Mark } from "../parts/mark.tsx";
import { Row, type RowLines } from "../parts/row.tsx";

/** The best state of the queue, and what works meanwhile. */
export function NothingWaits({ isBrief = false }: { readonly isBrief?: boolean }): JSX.Element {
  const { panes } = useServer();
  const count = useDerived(() => panes.all.value.length, []);
  const working = useDerived(() => {
    const all = panes.all.value.filter((pane) => appearanceOf(pane) === "working");
    return all.map((pane) => pane.id);
  }, []);
  return (
    <>
      <div class={`empty ${isBrief ? "brief" : ""}`}>
        {!isBrief && <Mark lit={false} />}
        <h2>{words.emptyTitle}</h2>
        <p>{sentence(count, working.length)}</p>
      </div>
      {!isBrief && working.length > 0 && (
        <>
          <h2 class="section">
            {words.background}
            <span class="section-count numbers">{working.length}</span>
          </h2>
          <ul class="list">
            {working.map((id) => (
              <Row key={id} id={id} linesOf={saidIn} />
            ))}
          </ul>
        </>
      )}
    </>
  );
}

const saidIn = (pane: Pane): RowLines => ({ mono: lastLine(pane) });

function sentence(panes: number, working: number): string {
  if (panes === 0) return words.emptyNoPanes;
  return working === 0 ? words.emptyQuiet : words.emptyWorking(working);
}
