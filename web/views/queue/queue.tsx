import type { ComponentChildren, JSX } from "preact";
import { useEffect, useLayoutEffect, useRef, useState } from "preact/hooks";
import type { Section, Slot } from "../../model/queue.ts";
import { PASS_HASH } from "../../state/browser/router.ts";
import type { Server } from "../../state/server/server.ts";
import { useBrowser, useServer } from "../../state/client.ts";
import { Button } from "../../ui/button.tsx";
import { Icon } from "../../ui/icons.tsx";
import { Section as ListSection } from "../../ui/section.tsx";
import { waitText } from "../../words/common.ts";
import * as words from "../../words/queue.ts";
import { Boundary, apart } from "../parts/boundary.tsx";
import { useWhenCalm, useDerived } from "../parts/derived.ts";
import { useKeptPlace } from "../parts/place.tsx";
import { ConnectionChip } from "../connection/connection.tsx";
import { ScreenHeader } from "../parts/screen-header.tsx";
import { more } from "../more.tsx";
import { Skeletons } from "../parts/skeletons.tsx";
import { TerminalText } from "../parts/text.tsx";
import { useKeptFocus } from "../parts/kept-focus.ts";
import { QueueCard } from "./card.tsx";

/** Above so many cards only the first are drawn at once, the others when they come near the screen. */
const MANY_CARDS = 12;
const FIRST_CARDS = 3;

/** Home on a phone: everything that needs a person, in an order that stands still. */
export function QueueScreen(): JSX.Element {
  const { panes, queue } = useServer();
  const { layout } = useBrowser();
  const scroller = useRef<HTMLElement>(null);
  useEntered();
  const sections = queue.sections.value;
  useKeptPlace(scroller, "queue");
  const keptFocus = useKeptFocus(cardAfter);
  const isLow = layout.isLow.value;
  const head = <ScreenHeader title="queue" />;
  return (
    <>
      {!isLow && head}
      <main ref={scroller} class="scroll" id="content" aria-label="Attention queue" {...keptFocus}>
        {/* As high as what it holds: cards learn from it that they have moved. */}
        <div>
          <Boundary instead={() => <></>}>
            {panes.isLoaded.value && <more.Pull area={scroller} />}
          </Boundary>
          {/* On its side it is one row, which scrolls away. */}
          <div class="low-head">
            {isLow && head}
            {sections.length > 0 && <QueueHead />}
          </div>
          {!panes.isLoaded.value && <Skeletons />}
          {panes.isLoaded.value && sections.length === 0 && <more.NothingWaits />}
          {sections.map(({ section, slots }) =>
            section === "finished" ? (
              <more.Finished key={section} slots={slots} />
            ) : (
              <Cards key={section} section={section} slots={slots} />
            ),
          )}
          {/* Nobody misses it where it cannot be loaded. */}
          <Boundary instead={() => <></>}>{panes.isLoaded.value && <more.QueueEnd />}</Boundary>
        </div>
      </main>
      <Picking />
      <Boundary instead={() => <></>}>
        {panes.isLoaded.value && (
          <more.Arrivals
            key={queue.made.value}
            slots={queue.slotsIn("waiting")}
            scroller={scroller}
          />
        )}
      </Boundary>
    </>
  );
}

/** The order is made anew. */
export function useEntered(): void {
  const { queue } = useServer();
  useEffect(() => queue.enter(), []);
}

/** How many wait and since when, and the way through all of it. */
export function QueueHead(): JSX.Element | null {
  const server = useServer();
  const { hosts, phase, queue } = server;
  const { clock, layout, router } = useBrowser();
  const since = useDerived(
    () => Math.min(...queue.slotsIn("waiting").map(({ card }) => card.since)),
    [],
  );
  // How long they wait is not known then. It goes when the banner comes.
  if (useWhenCalm(phase.value) === "offline") return null;
  const n = queue.count.value;
  const longest = Number.isFinite(since) ? `, longest ${waitText(clock.now.value - since)}` : "";
  const said = n === 0 ? "Nothing waits for you" : `${n} waiting${longest}`;
  if (layout.isLow.value && layout.columns.value === 2)
    return (
      <div class="flat-head flex gap-8 fs-13 text-2 numbers">
        {mayPick(server) ? <Mode /> : <p class="grow">{said}</p>}
        <ConnectionChip />
      </div>
    );
  return (
    <>
      <p class="summary flex gap-6 fs-13 numbers text-2">
        <span class="grow">
          {said}
          {hosts.value.length > 0 && <more.HostsAway />}
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

const mayPick = (server: Server): boolean => server.picks.isOffered.value && server.may("answer");

/** Answer now, or pick several: in the head of the queue, where enough wait. */
function Mode(): JSX.Element | null {
  const server = useServer();
  if (!mayPick(server)) return null;
  // Its room is there from the first drawing on: a card that moves takes no answer.
  return (
    <div class="mode">
      <Boundary instead={() => <></>}>
        <more.PickSwitch />
      </Boundary>
    </div>
  );
}

/** Below the queue while a tap picks. */
export function Picking(): JSX.Element | null {
  return useServer().picks.isOn.value ? <more.PickBar /> : null;
}

/** On the phone Waiting has no visible heading: the head says it. */
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
    <ListSection
      title={words.sections[section]}
      count={isWaiting ? queue.count.value : slots.length}
      isHidden={isWaiting && layout.columns.value === 1}
    >
      {children}
    </ListSection>
  );
}

function Cards(props: { readonly section: Section; readonly slots: readonly Slot[] }): JSX.Element {
  const { section, slots } = props;
  const { queue } = useServer();
  const keys = queue.keys.value;
  const far = new Set(keys.length > MANY_CARDS ? keys.slice(FIRST_CARDS) : []);
  return (
    <QueueSection {...{ section, slots }}>
      {section === "blocked" && <more.ParkedGroups slots={slots} />}
      {slots.map((slot) =>
        isGrouped(slot) ? null : (
          <NearCard
            key={slot.card.pane_id ?? slot.card.key}
            slot={slot}
            isFar={far.has(slot.card.key)}
          />
        ),
      )}
    </QueueSection>
  );
}

/** It stands with those that the same limit holds. */
const isGrouped = ({ card }: Slot): boolean => card.section === "parked" && card.pane_id !== null;

/** A card of the list. Where there are many, one far below is its place alone until it comes near; then it stays. */
function DrawnCard(props: { readonly slot: Slot; readonly isFar: boolean }): JSX.Element {
  const { slot, isFar } = props;
  const { near } = useBrowser();
  const [isDrawn, setDrawn] = useState(!isFar);
  const place = useRef<HTMLElement>(null);
  useLayoutEffect(() => {
    if (place.current === null) return;
    return near.watch(place.current, (isNear) => isNear && setDrawn(true));
  }, [isDrawn]);
  if (isDrawn) return <QueueCard slot={slot} />;
  return (
    <article ref={place} class="card far" data-card={slot.card.key} data-away>
      <h2>
        <TerminalText text={slot.card.title} />
      </h2>
    </article>
  );
}

const NearCard = apart("article", DrawnCard, ({ slot: { card } }) => ({
  paneId: card.pane_id,
  agentId: card.agent_id,
}));

/** A card that goes with the focus passes it on to the heading of the next one. */
function cardAfter(at: Element, list: HTMLElement): () => HTMLElement | null | undefined {
  const cards = () => [...list.querySelectorAll<HTMLElement>("article")];
  const place = cards().findIndex((card) => card.contains(at));
  if (place < 0) return () => null;
  return () => {
    const now = cards();
    return now[Math.min(place, now.length - 1)]?.querySelector<HTMLElement>(".card-title");
  };
}
