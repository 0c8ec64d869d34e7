import type { JSX } from "preact";
import { useEffect } from "preact/hooks";
import { aboutOf } from "../../model/about.ts";
import { appearanceOf, type Pane } from "../../model/pane.ts";
import { useServer } from "../../state/client.ts";
import type { PaneSlot } from "../../state/server/queue.ts";
import { queue as words } from "../../words/queue.ts";
import { useDerived } from "../parts/derived.ts";
import type { RowLines } from "../parts/row.tsx";
import { Skeletons } from "../parts/skeletons.tsx";
import { NothingWaits } from "./empty.tsx";
import { Finished, RowGroup } from "./queue.tsx";

/** The queue beside a pane: rows, because the answers dock under the terminal. */
export function QueueRows(): JSX.Element {
  const { panes, queue } = useServer();
  useEffect(() => queue.enter(), []);
  const { waiting, errors, working } = useDerived(() => {
    const here = (slots: readonly PaneSlot[]) =>
      slots.map((slot) => slot.id).filter((id) => panes.find(id) !== null);
    const [waits, errors] = [queue.paneSlots("waiting"), queue.paneSlots("errors")];
    // A pane that was answered keeps its place above until the order is made anew.
    const inOrder = new Set([...waits, ...errors].map(({ id }) => id));
    const others = panes.all.value.filter(({ id }) => !inOrder.has(id));
    const busy = others.filter((pane) => appearanceOf(pane) === "working");
    return {
      waiting: here(waits),
      errors: here(errors),
      working: busy.map((pane) => pane.id),
    };
  }, []);
  return (
    <div class="scroll">
      {!panes.isLoaded.value && <Skeletons />}
      {panes.isLoaded.value && waiting.length + errors.length === 0 && <NothingWaits isBrief />}
      <RowGroup title={words.waiting} ids={waiting} linesOf={askedIn} />
      <RowGroup title={words.errors} ids={errors} />
      <Finished />
      <RowGroup title={words.background} ids={working} />
    </div>
  );
}

const askedIn = (pane: Pane): RowLines => ({ second: aboutOf(pane) });
