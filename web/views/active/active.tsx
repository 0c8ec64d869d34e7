import type { JSX } from "preact";
import { aboutOf } from "../../model/about.ts";
import { appearanceOf, lastLine, sinceOf, type Appearance, type Pane } from "../../model/pane.ts";
import { useBrowser, useServer } from "../../state/client.ts";
import { Button } from "../../ui/button.tsx";
import { active as words } from "../../words/lists.ts";
import { useDerived } from "../parts/derived.ts";
import { WorkspaceNote } from "./workspace-note.tsx";
import { Row, type RowLines } from "../parts/row.tsx";
import { Empty } from "../../ui/empty.tsx";

const FINISHED_SECONDS = 3600;

/** What goes on now: who waits, what failed, what works, what has just finished. */
export function ActiveList(): JSX.Element {
  const { panes, queue, finished } = useServer();
  const { clock, router } = useBrowser();
  const lists = useDerived(() => {
    const waiting = queue
      .paneSlots("waiting")
      .map(idOf)
      .filter((id) => panes.find(id) !== null);
    const others = panes.all.value.filter(({ id }) => !waiting.includes(id));
    const of = (appearance: Appearance) =>
      others.filter((pane) => appearanceOf(pane) === appearance);
    const now = clock.now.value;
    const finishedAt = (pane: Pane) => pane.finished_at ?? finished.at(pane) ?? -Infinity;
    // What the server tells of stays until it is looked at, what was only seen here for an hour.
    const recent = of("idle").filter((pane) => now - finishedAt(pane) < FINISHED_SECONDS);
    const done = [...of("finished"), ...recent];
    return {
      waiting,
      failed: of("error").map(idOf),
      working: of("working")
        .toSorted((a, b) => sinceOf(a) - sinceOf(b))
        .map(idOf),
      done: done.toSorted((a, b) => finishedAt(b) - finishedAt(a)).map(idOf),
    };
  }, []);
  const { waiting, failed, working, done } = lists;
  const isQuiet = waiting.length + failed.length + working.length + done.length === 0;
  if (isQuiet && panes.isLoaded.value)
    return (
      <Empty title={words.emptyTitle} text={words.emptyText}>
        <Button onClick={() => router.goTab("all")}>{words.toAll}</Button>
      </Empty>
    );
  return (
    <>
      <Section title={words.waiting} ids={waiting} linesOf={askedIn} />
      <Section title={words.failed} ids={failed} linesOf={saidIn} />
      <Section title={words.working} ids={working} linesOf={saidIn} />
      <Section title={words.finished} ids={done} linesOf={saidIn} />
      <WorkspaceNote />
    </>
  );
}

const idOf = ({ id }: { readonly id: string }): string => id;
const askedIn = (pane: Pane): RowLines => ({ second: aboutOf(pane) });
const saidIn = (pane: Pane): RowLines => ({ mono: lastLine(pane) });

function Section(props: {
  readonly title: string;
  readonly ids: readonly string[];
  readonly linesOf: (pane: Pane) => RowLines;
}): JSX.Element | null {
  const { title, ids, linesOf } = props;
  const { layout } = useBrowser();
  if (ids.length === 0) return null;
  return (
    <section>
      <h2 class="section">
        {title}
        <span class="section-count numbers">{ids.length}</span>
      </h2>
      <ul class={layout.columns.value === 1 ? "list" : "rows"}>
        {ids.map((id) => (
          <Row key={id} id={id} linesOf={linesOf} />
        ))}
      </ul>
    </section>
  );
}
