import type { ComponentChildren, JSX } from "preact";
import { useEffect, useRef, useState } from "preact/hooks";
import type { Card, Section, Slot } from "../../model/queue.ts";
import { PASS_HASH } from "../../state/browser/router.ts";
import type { Server } from "../../state/server/server.ts";
import { useBrowser, useServer } from "../../state/client.ts";
import { Button, Icon } from "../../ui/button.tsx";
import { Skeletons } from "../../ui/notice.tsx";
import { Heading } from "../../ui/heading.tsx";
import { sections as titles, waitText } from "../../words/common.ts";
import { withBoundary } from "../parts/boundary.tsx";
import { useWhenCalm, useDerived } from "../parts/derived.ts";
import { useNear, useScrollRestoration } from "../parts/scroll.tsx";
import { ScreenHeader } from "../parts/screen-header.tsx";
import { noticed, optional } from "../more.tsx";
import { TerminalText } from "../parts/text.tsx";
import { useFocusRestoration } from "../../ui/focus.ts";
import { QueueCard } from "./card.tsx";

/** The screen of a phone shows no more. */
const FIRST_CARDS = 2;
const MANY_CARDS = 12;

export function QueueScreen(): JSX.Element {
  const { panes, picks, queue } = useServer();
  const { layout } = useBrowser();
  const scroller = useRef<HTMLElement>(null);
  // The order is made anew.
  useEffect(() => queue.enter(), []);
  const sections = queue.sections.value;
  useScrollRestoration(scroller, "queue");
  const keptFocus = useFocusRestoration(cardAfter);
  const isLow = layout.isLow.value;
  const head = <ScreenHeader title="queue" />;
  return (
    <>
      {!isLow && head}
      <main ref={scroller} class="scroll" id="content" aria-label="Attention queue" {...keptFocus}>
        {/* As high as its content: by its size cards notice that they have moved. */}
        <div>
          {panes.isLoaded.value && <optional.Pull area={scroller} />}
          {/* On a phone on its side the head is one row, which scrolls away. */}
          <div class="low-head">
            {isLow && head}
            {sections.length > 0 && <QueueHead />}
          </div>
          {!panes.isLoaded.value && <Skeletons />}
          {panes.isLoaded.value && sections.length === 0 && <noticed.NothingWaits />}
          {sections.map(({ section, slots }) =>
            section === "finished" ? (
              <noticed.Finished key={section} slots={slots} />
            ) : (
              <Cards key={section} section={section} slots={slots} />
            ),
          )}
          {panes.isLoaded.value && <optional.SetUp />}
          {panes.isLoaded.value && <optional.AlwaysAllowed />}
        </div>
      </main>
      {picks.isOn.value && <optional.PickBar />}
      {panes.isLoaded.value && (
        <optional.Arrivals
          key={queue.orderCount.value}
          slots={queue.slotsIn("waiting")}
          scroller={scroller}
        />
      )}
    </>
  );
}

export function QueueHead(): JSX.Element | null {
  const server = useServer();
  const { hosts, phase, queue } = server;
  const { clock, layout, router } = useBrowser();
  const since = useDerived(
    () => Math.min(...queue.slotsIn("waiting").map(({ card }) => card.since)),
    [],
  );
  // Offline it is not known how long they wait. The head goes when the banner comes.
  if (useWhenCalm(phase.value) === "offline") return null;
  const n = queue.count.value;
  const longest = Number.isFinite(since) ? `, longest ${waitText(clock.now.value - since)}` : "";
  const said = n === 0 ? "Nothing waits for you" : `${n} waiting${longest}`;
  if (layout.isLow.value && layout.columns.value === 2) return <optional.FlatHead said={said} />;
  return (
    <>
      <p class="summary flex gap-6 fs-13 numbers text-2">
        <span class="grow">
          {said}
          {hosts.value.length > 0 && <optional.HostsAway />}
        </span>
        {layout.columns.value === 1 && server.may("answer") && (
          <Button tone="plain" onClick={() => router.go(PASS_HASH)}>
            Go through
            <Icon name="next" class="small" />
          </Button>
        )}
      </p>
      <Mode />
    </>
  );
}

export const mayPick = (server: Server): boolean =>
  server.picks.isOffered.value && server.may("answer");

export function Mode(): JSX.Element | null {
  const server = useServer();
  if (!mayPick(server)) return null;
  // Its room is there before the switch comes: a card that moves takes no answer.
  return (
    <div class="mode">
      <optional.PickSwitch />
    </div>
  );
}

/** On a phone Waiting has no visible heading, since the head says it. */
export function QueueSection(props: {
  readonly section: Section;
  readonly slots: readonly Slot[];
  readonly children: ComponentChildren;
}): JSX.Element {
  const { section, slots, children } = props;
  const { queue } = useServer();
  const { layout } = useBrowser();
  const isWaiting = section === "waiting";
  return (
    <section>
      <Heading
        title={titles[section]}
        count={isWaiting ? queue.count.value : slots.length}
        isHidden={isWaiting && layout.columns.value === 1}
      />
      {children}
    </section>
  );
}

function Cards(props: { readonly section: Section; readonly slots: readonly Slot[] }): JSX.Element {
  const { section, slots } = props;
  // Panes that wait for a limit stand in groups, by the time at which it ends.
  const own = slots.filter(({ card }) => card.section !== "parked" || card.pane_id === null);
  const { isDrawn, draw } = useDrawnCards(own);
  return (
    <QueueSection {...{ section, slots }}>
      {section === "blocked" && <noticed.ParkedGroups slots={slots} />}
      {own.map((slot) =>
        isDrawn(slot) ? (
          <DrawnCard key={idOf(slot)} slot={slot} />
        ) : (
          <FarCard key={idOf(slot)} card={slot.card} onNear={() => draw(slot)} />
        ),
      )}
    </QueueSection>
  );
}

/** In the place of a card that is not drawn yet. */
function FarCard(props: { readonly card: Card; readonly onNear: () => void }): JSX.Element {
  const { card, onNear } = props;
  const place = useRef<HTMLElement>(null);
  useNear(place, (isNear) => isNear && onNear());
  return (
    <article ref={place} class="card far" data-card={card.key} data-away>
      <TerminalText as="h2" text={card.title} />
    </article>
  );
}

/** Stays the same when it becomes known which agent is in a pane. */
const idOf = ({ card }: Slot): string => card.pane_id ?? card.key;

/**
 * Which cards are drawn whole; the others are placeholders. At first as many as a screen shows, then one
 * in each task; where there are many, those that come near the screen. What is drawn stays drawn.
 */
function useDrawnCards(slots: readonly Slot[]): {
  readonly isDrawn: (slot: Slot) => boolean;
  readonly draw: (slot: Slot) => void;
} {
  const { queue } = useServer();
  const known = useRef(new Map<string, boolean>()).current;
  const [, setTurn] = useState(0);
  const keys = queue.keys.value;
  const areMany = keys.length > MANY_CARDS;
  const first = keys.slice(0, FIRST_CARDS);
  const isEntered = known.size > 0;
  for (const slot of slots)
    if (!known.has(idOf(slot)))
      known.set(idOf(slot), first.includes(slot.card.key) || (isEntered && !areMany));
  const isDrawn = (slot: Slot): boolean => known.get(idOf(slot)) === true;
  const draw = (slot: Slot) => {
    known.set(idOf(slot), true);
    setTurn((turn) => turn + 1);
  };
  const next = areMany ? undefined : slots.find((slot) => !isDrawn(slot));
  useEffect(() => {
    if (next === undefined) return;
    const timer = setTimeout(() => draw(next));
    return () => clearTimeout(timer);
  }, [next]);
  return { isDrawn, draw };
}

const DrawnCard = withBoundary("article", QueueCard, ({ slot: { card } }) => ({
  paneId: card.pane_id,
  agentId: card.agent_id,
}));

/** When a card goes that has the focus, the title of the next one takes it. */
function cardAfter(at: Element, list: HTMLElement): () => HTMLElement | null | undefined {
  const cards = () => [...list.querySelectorAll<HTMLElement>("article")];
  const place = cards().findIndex((card) => card.contains(at));
  if (place < 0) return () => null;
  return () => {
    const now = cards();
    return now[Math.min(place, now.length - 1)]?.querySelector<HTMLElement>(".card-title");
  };
}
