import type { JSX } from "preact";
import { appearanceOf, lastLine, sinceOf, type Appearance, type Pane } from "../../model/pane.ts";
import { useClient } from "../../state/client.ts";
import { Button } from "../../ui/button.tsx";
import { active as words } from "../../words/lists.ts";
import { Row } from "../parts/row.tsx";

const FINISHED_SECONDS = 3600;

/** What goes on now: who waits, what failed, what works, what has just finished. */
export function ActiveList(): JSX.Element {
  const { panes, queue, clock, finished, router } = useClient();
  const waiting = queue.order.value.waiting.flatMap(({ id }) => panes.find(id) ?? []);
  const all = panes.all.value.filter((pane) => !waiting.includes(pane));
  const of = (appearance: Appearance) => all.filter((pane) => appearanceOf(pane) === appearance);
  const now = clock.now.value;
  const finishedAt = (pane: Pane) => finished.at(pane) ?? -Infinity;
  const done = of("idle")
    .filter((pane) => now - finishedAt(pane) < FINISHED_SECONDS)
    .toSorted((a, b) => finishedAt(b) - finishedAt(a));
  const isQuiet =
    waiting.length + of("error").length + of("working").length + done.length === 0 &&
    panes.isLoaded.value;
  if (isQuiet)
    return (
      <div class="empty">
        <h2>{words.emptyTitle}</h2>
        <p>{words.emptyText}</p>
        <Button onClick={() => router.goTab("all")}>{words.toAll}</Button>
      </div>
    );
  return (
    <>
      <Section
        title={words.waiting}
        panes={waiting}
        lineOf={(pane) => ({ second: pane.question ?? "" })}
      />
      <Section
        title={words.failed}
        panes={of("error")}
        lineOf={(pane) => ({ mono: lastLine(pane) })}
      />
      <Section
        title={words.working}
        panes={of("working").toSorted((a, b) => sinceOf(a) - sinceOf(b))}
        lineOf={(pane) => ({ mono: lastLine(pane) })}
      />
      <Section title={words.finished} panes={done} lineOf={(pane) => ({ mono: lastLine(pane) })} />
    </>
  );
}

function Section(props: {
  readonly title: string;
  readonly panes: readonly Pane[];
  readonly lineOf: (pane: Pane) => { readonly second?: string; readonly mono?: string };
}): JSX.Element | null {
  const { title, panes, lineOf } = props;
  const { layout } = useClient();
  if (panes.length === 0) return null;
  return (
    <section>
      <h2 class="section">
        {title}
        <span class="section-count numbers">{panes.length}</span>
      </h2>
      <ul class={layout.columns.value === 1 ? "list" : "rows"}>
        {panes.map((pane) => (
          <Row key={pane.id} pane={pane} {...lineOf(pane)} />
        ))}
      </ul>
    </section>
  );
}
