import type { JSX } from "preact";
import { useEffect, useLayoutEffect, useMemo, useRef, useState } from "preact/hooks";
import { sectionOf, type Slot } from "../../model/queue.ts";
import { GoThrough } from "../../state/server/pass.ts";
import { useBrowser, usePart, useServer } from "../../state/client.ts";
import { Button, IconButton, Icon } from "../../ui/button.tsx";
import { giveFocus } from "../../ui/focus.ts";
import { sections } from "../../words/common.ts";
import { ChangesButton } from "../changes/files.tsx";
import { useChange } from "../agents/use.ts";
import { useDerived } from "../parts/derived.ts";
import { Banner } from "../parts/screen-header.tsx";
import { CardPage } from "./beside.tsx";
import { MarkButton, useOffer, useShielded } from "./acts.tsx";
import { EntryRow } from "./rows.tsx";

/** The result of an answer or a mark is seen before the next card comes. */
const NEXT_AFTER_MS = 1000;

/** The cards one by one, with the same buttons in the same place. */
export function QueuePass(): JSX.Element {
  const server = useServer();
  const { layout, router } = useBrowser();
  const part = usePart(GoThrough);
  const canBegin = server.panes.isLoaded.value;
  useEffect(() => {
    if (!canBegin || part.pass.peek() !== null) return;
    // Opened by its address, or after a reload: the queue of now is gone through.
    if (server.queue.keys.peek().length === 0) server.queue.enter();
    part.begin(router.savedPosition("pass")?.keys[0]);
  }, [canBegin]);
  useEffect(
    () => () => {
      // A turned phone has other columns, in which the pass goes on.
      if (router.beside.peek() === "pass") return;
      part.clear();
      // Back to this entry of the history goes on at its card; the next visit begins anew.
      router.savePosition("pass", null);
    },
    [],
  );
  const stop = part.stop.value;
  useEffect(() => {
    if (stop !== null) router.savePosition("pass", { keys: [stop.card.key], offset: 0 });
  }, [stop]);
  return (
    <main class="pass stack grow ground" id="content">
      <h1 class="visually-hidden">Go through</h1>
      {part.pass.value !== null && (
        <>
          <PassHeader />
          {layout.columns.value === 1 && <Banner />}
          {stop === null ? <PassEnd /> : <PassCard key={stop.card.key} stop={stop} />}
        </>
      )}
    </main>
  );
}

function PassHeader(): JSX.Element {
  const part = usePart(GoThrough);
  const { queue } = useServer();
  const { router } = useBrowser();
  const { order = [], at = 0 } = part.pass.value ?? {};
  const paneId = useDerived(
    () => queue.card(part.stop.value?.card.key ?? "")?.pane_id ?? null,
    [part],
  );
  const place = part.place.value;
  const gone = useDerived(() => order.map((stop) => part.isGone(stop)), [order]);
  const markOf = (index: number): string => {
    if (gone[index] === true) return "done";
    if (index === at) return "now";
    return index < at ? "later" : "";
  };
  return (
    <header class="pass-header grid bold centred">
      <IconButton icon="close" label="Back to the queue" onClick={() => router.back("#/queue")} />
      <span class="numbers">
        {place !== null && `${sections[place.section]}, ${place.n} of ${place.of}`}
      </span>
      {paneId !== null && <ChangesButton key={paneId} paneId={paneId} />}
      <div
        class="pips"
        role="progressbar"
        aria-label="Gone through"
        aria-valuemin={0}
        aria-valuemax={order.length}
        aria-valuenow={gone.filter(Boolean).length}
      >
        {order.map(({ card, section }, index) => {
          const isNewSection = index > 0 && order[index - 1]?.section !== section;
          return <i key={card.key} class={`${markOf(index)} ${isNewSection ? "gap" : ""}`} />;
        })}
      </div>
    </header>
  );
}

function PassCard({ stop }: { readonly stop: Slot }): JSX.Element {
  const part = usePart(GoThrough);
  const { answers, queue } = useServer();
  const shielded = useShielded();
  const page = useRef<HTMLDivElement>(null);
  const now = useDerived(() => queue.card(stop.card.key), [stop.card.key]);
  const last = useRef(stop.card);
  if (now !== null) last.current = now;
  const card = last.current;
  const section = (now && sectionOf(now)) ?? stop.section;
  const isConfirmed = useDerived(() => {
    const answer = answers.of(card.pane_id ?? "").value;
    return answer?.step === "sent" && answer.confirmed;
  }, [card.pane_id]);
  // By an answer of this page since the card is shown.
  const [isDone, setDone] = useState(false);
  useChange(isConfirmed, () => isConfirmed && setDone(true));
  const goOn = () => setTimeout(() => part.advance(stop), NEXT_AFTER_MS);
  useEffect(() => {
    if (!isDone) return;
    const timer = goOn();
    return () => clearTimeout(timer);
  }, [isDone]);
  // The focus moves to the name of the card, which a screen reader then reads.
  useLayoutEffect(() => {
    const title = page.current?.querySelector<HTMLElement>(".card-title");
    giveFocus(title, page.current?.closest("main"));
  }, []);
  const isOver = now === null && !isDone;
  const leftAt = isOver ? 0 : null;
  const slot = useMemo(() => ({ card, section, leftAt }), [card, section, leftAt]);
  const later = shielded(() => part.later());
  useOffer(card.key, "later", later);
  const foot = (
    <footer class="pass-footer grid gap-8 rule">
      <Button
        aria-label="Previous"
        disabled={part.pass.value?.at === 0}
        onClick={shielded(() => part.step(-1))}
      >
        <Icon name="back" />
      </Button>
      <Button onClick={later}>Later</Button>
      <MarkButton card={card} isFixed onDone={goOn} />
      <Button aria-label="Next" onClick={shielded(() => part.step(1))}>
        <Icon name="next" />
      </Button>
    </footer>
  );
  return (
    <CardPage {...{ slot, page, foot }}>
      {isOver && <p class="fine">Nothing is left of it to look at.</p>}
    </CardPage>
  );
}

function PassEnd(): JSX.Element {
  const part = usePart(GoThrough);
  const { router } = useBrowser();
  const heading = useRef<HTMLHeadingElement>(null);
  useLayoutEffect(() => giveFocus(heading.current, heading.current?.closest("main")), []);
  const left = useDerived(() => part.remaining(), [part]);
  return (
    <>
      <div class="scroll pass-end stack grow">
        <h2 ref={heading} class="fs-28" tabIndex={-1}>
          {left.length === 0 ? "Nothing left" : `${left.length} left for later`}
        </h2>
        <ul class="rows">
          {left.map((slot) => (
            <EntryRow key={slot.card.key} slot={slot} />
          ))}
        </ul>
      </div>
      <footer class="pass-footer end grid gap-8 rule">
        <Button aria-label="Previous" onClick={() => part.step(-1)}>
          <Icon name="back" />
        </Button>
        <Button tone="primary" onClick={() => router.back("#/queue")}>
          Done
        </Button>
      </footer>
    </>
  );
}
