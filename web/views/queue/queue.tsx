import type { JSX, RefObject } from "preact";
import { useEffect, useLayoutEffect, useRef, useState } from "preact/hooks";
import { appearanceOf, failed, lastLine, waits, type Pane } from "../../model/pane.ts";
import { useBrowser, useServer } from "../../state/client.ts";
import type { PaneSlot } from "../../state/server/queue.ts";
import { Icon } from "../../ui/icons.tsx";
import { waitText } from "../../words/common.ts";
import { queue as words } from "../../words/queue.ts";
import { useWhenCalm } from "../parts/calm.ts";
import { useDerived } from "../parts/derived.ts";
import { Row, type RowLines } from "../parts/row.tsx";
import { ScreenHeader } from "../parts/screen-header.tsx";
import { DueBanner, QueuePlaces } from "../review/places.tsx";
import { usePull } from "./pull.ts";
import { Card } from "./card.tsx";
import { NothingWaits } from "./empty.tsx";
import { Skeletons } from "../parts/skeletons.tsx";

/** Home on a phone: every prompt with its evidence and its answers, in an order that stands still. */
export function QueueScreen(): JSX.Element {
  const { link, panes, queue } = useServer();
  const { shield } = useBrowser();
  const scroller = useRef<HTMLElement>(null);
  useEffect(() => queue.enter(), []);
  const { waiting, errors } = useDerived(
    () => ({ waiting: queue.paneSlots("waiting"), errors: queue.paneSlots("errors") }),
    [],
  );
  const isPulled = usePull(scroller, () => {
    shield.raise();
    queue.enter();
    void link.refresh();
  });
  usePassFocus(scroller, [...waiting, ...errors].map((slot) => slot.id).join(" "));
  const isEmpty = waiting.length === 0 && errors.length === 0;
  return (
    <>
      <ScreenHeader title="queue" />
      <QueuePlaces />
      <main ref={scroller} class="scroll" id="content" aria-label={words.region}>
        {/* As high as what it holds: cards learn from it that they have moved. */}
        <div>
          {isPulled && (
            <p class="pulled" aria-hidden="true">
              <Icon name="refresh" class="small" />
              {words.pullToOrder}
            </p>
          )}
          <DueBanner />
          {!panes.isLoaded.value && <Skeletons />}
          {panes.isLoaded.value && isEmpty && <NothingWaits />}
          {!isEmpty && <Summary />}
          <Cards slots={waiting} belongs={waits} />
          {errors.length > 0 && (
            <h2 class="section">
              {words.errors}
              <span class="section-count numbers">{errors.length}</span>
            </h2>
          )}
          <Cards slots={errors} belongs={failed} />
          <Finished />
        </div>
      </main>
      <Arrivals slots={waiting} scroller={scroller} />
    </>
  );
}

function Summary(): JSX.Element | null {
  const { phase, queue, waits } = useServer();
  const { clock } = useBrowser();
  const waiting = queue.waiting.value;
  // How long they wait is not known then. It goes when the banner comes.
  if (useWhenCalm(phase.value) === "offline") return null;
  const oldest = Math.min(...waiting.map((pane) => waits.since(pane)));
  const longest = waitText(clock.now.value - oldest);
  return (
    <p class="summary numbers">
      {words.summary(waiting.length, longest, queue.paneSlots("errors").length)}
    </p>
  );
}

function Cards(props: {
  readonly slots: readonly PaneSlot[];
  readonly belongs: (pane: Pane) => boolean;
}): JSX.Element {
  const { slots, belongs } = props;
  const { panes } = useServer();
  const known = useRef<ReadonlyMap<string, Pane>>(new Map());
  // A pane that is gone is shown as it was, for as long as its card keeps its place and no longer.
  const shown = slots.flatMap(({ id, key }) => {
    const pane = panes.find(id) ?? known.current.get(id);
    return pane === undefined ? [] : [{ key, pane }];
  });
  known.current = new Map(shown.map(({ pane }) => [pane.id, pane]));
  return (
    <>
      {shown.map(({ key, pane }) => (
        <Card key={pane.id} entryKey={key} pane={pane} belongs={belongs} />
      ))}
    </>
  );
}

/** Agents that are done, below what waits: a look at their pane is all that they want. */
export function Finished(): JSX.Element {
  const { panes } = useServer();
  const ids = useDerived(() => doneIn(panes.all.value), []);
  return <RowGroup title={words.finished} ids={ids} />;
}

/** The newest first. */
function doneIn(panes: readonly Pane[]): string[] {
  const done = panes.filter((pane) => appearanceOf(pane) === "finished");
  return done
    .toSorted((a, b) => (b.finished_at ?? 0) - (a.finished_at ?? 0))
    .map((pane) => pane.id);
}

/** A focused card that goes passes the focus on to the heading of the next one. */
function usePassFocus(area: RefObject<HTMLElement | null>, ids: string): void {
  const focused = useRef<number | null>(null);
  const cardsIn = () => [...(area.current?.querySelectorAll<HTMLElement>("article") ?? [])];
  useEffect(() => {
    const element = area.current;
    if (element === null) return;
    const remember = () => {
      const at = cardsIn().findIndex((card) => card.contains(document.activeElement));
      focused.current = at < 0 ? null : at;
    };
    const forget = (event: FocusEvent) => {
      // Without a next element the focused card was removed, or the window lost the focus.
      if (event.relatedTarget !== null) focused.current = null;
    };
    element.addEventListener("focusin", remember);
    element.addEventListener("focusout", forget);
    return () => {
      element.removeEventListener("focusin", remember);
      element.removeEventListener("focusout", forget);
    };
  }, []);
  useLayoutEffect(() => {
    const at = focused.current;
    if (at === null || document.activeElement !== document.body) return;
    const cards = cardsIn();
    cards[Math.min(at, cards.length - 1)]
      ?.querySelector<HTMLElement>(".card-title")
      ?.focus({ preventScroll: true });
  }, [ids]);
}

/** Says that cards were added below, and leads there. */
function Arrivals(props: {
  readonly slots: readonly PaneSlot[];
  readonly scroller: { current: HTMLElement | null };
}): JSX.Element | null {
  const { slots, scroller } = props;
  const { shield } = useBrowser();
  const [seen, setSeen] = useState<ReadonlySet<string> | null>(null);
  const ids = slots.map((slot) => slot.id);
  const fresh = seen === null ? [] : ids.filter((id) => !seen.has(id));
  useEffect(() => {
    if (seen === null && ids.length > 0) setSeen(new Set(ids));
  }, [ids.length]);
  useEffect(() => {
    const area = scroller.current;
    if (area === null || fresh.length === 0) return;
    const observer = new IntersectionObserver(
      (entries) => {
        const arrived = entries.filter((entry) => entry.isIntersecting);
        const visible = arrived.map((entry) => entry.target.getAttribute("data-pane") ?? "");
        if (visible.length > 0) setSeen((before) => new Set([...(before ?? []), ...visible]));
      },
      { root: area, threshold: 0.2 },
    );
    for (const id of fresh) {
      const card = area.querySelector(`[data-pane="${CSS.escape(id)}"]`);
      if (card !== null) observer.observe(card);
    }
    return () => observer.disconnect();
  }, [fresh.join(" ")]);
  if (fresh.length === 0) return null;
  const show = () => {
    const card = scroller.current?.querySelector(`[data-pane="${CSS.escape(fresh[0] ?? "")}"]`);
    shield.raise();
    card?.scrollIntoView({ block: "start" });
    setSeen(new Set(ids));
  };
  return (
    <button type="button" class="floating arrivals" onClick={show}>
      <Icon name="down" />
      {words.arrived(fresh.length)}
    </button>
  );
}

const saidIn = (pane: Pane): RowLines => ({ second: lastLine(pane) });

export function RowGroup(props: {
  readonly title: string;
  readonly ids: readonly string[];
  readonly linesOf?: (pane: Pane) => RowLines;
}): JSX.Element | null {
  const { title, ids, linesOf = saidIn } = props;
  if (ids.length === 0) return null;
  return (
    <section>
      <h2 class="section">
        {title}
        <span class="section-count numbers">{ids.length}</span>
      </h2>
      <ul class="rows">
        {ids.map((id) => (
          <Row key={id} id={id} linesOf={linesOf} />
        ))}
      </ul>
    </section>
  );
}
