import type { JSX } from "preact";
import { useId, useLayoutEffect, useRef } from "preact/hooks";
import { SHIELD_MS } from "../../model/guard.ts";
import { waits, type Pane } from "../../model/pane.ts";
import { isNews, type Slot } from "../../model/queue.ts";
import { agentHash } from "../../state/browser/router.ts";
import { useBrowser, useClient, usePart, useServer } from "../../state/client.ts";
import { CardOffers, type CardAct } from "../../state/server/offers.ts";
import { Button } from "../../ui/button.tsx";
import { giveFocus } from "../../ui/focus.ts";
import { Card, CardHead, useShown } from "../answer/card.tsx";
import { more } from "../more.tsx";
import { Boundary } from "../parts/boundary.tsx";
import { useLastPane } from "../parts/derived.ts";
import { Ago, Asked, Wait } from "../parts/wait.tsx";

/**
 * One that needs a person: who, what it asks with its answers, what is new of its work. `isWhole`: by
 * itself, where what can be done with it stands at the foot of the page.
 */
export function QueueCard(props: {
  readonly slot: Slot;
  readonly isWhole?: boolean;
}): JSX.Element | null {
  const { slot, isWhole = false } = props;
  const { card, section, leftAt } = slot;
  const client = useClient();
  const titleId = useId();
  const pane = useLastPane(card.pane_id);
  const shown = useShown(pane);
  if (shown.pane === null && card.agent === null) return null;
  // What is news goes as it stands: it was marked here, or has nothing new any more.
  const isOver = leftAt !== null && !shown.isHeld && !isNews(section);
  const open = () =>
    client.browser.router.go(
      shown.pane === null ? agentHash(card.agent_id ?? "") : client.pageHash(shown.pane),
    );
  const isAbove = shown.pane !== null && waits(shown.pane);
  return (
    <Card
      size="whole"
      {...shown}
      answer={isOver ? null : shown.answer}
      isOver={isOver}
      head={
        <CardHead
          pane={shown.pane}
          {...{ card, titleId }}
          level={2}
          end={<Since {...{ slot, isOver }} {...shown} />}
          onOpen={open}
        />
      }
      frame={{
        "aria-labelledby": titleId,
        "data-card": card.key,
        "data-pane": pane?.id,
        "data-agent": card.agent_id ?? undefined,
      }}
    >
      {!isOver && shown.pane === null && section === "blocked" && card.agent !== null && (
        <more.ParkedAgent agent={card.agent} />
      )}
      {!isOver && card.asks !== null && (!isAbove || card.asks.more > 0) && (
        <more.AgentAsks card={card} isAbove={isAbove} />
      )}
      {(!isOver || isWhole) && card.agent_id !== null && (
        // Its line comes a moment after the card.
        <div class="mt-4 tap">
          {card.agent !== null && (
            <more.AgentNews card={card} isOpen={isWhole || isNews(section)} />
          )}
        </div>
      )}
      {!isOver && !isWhole && (
        <footer class="queue-foot flex wrap between gap-8">
          <CardActs slot={slot} isOff={shown.isHeld} />
        </footer>
      )}
    </Card>
  );
}

/** Since when it asks, failed or was done. */
function Since(props: {
  readonly slot: Slot;
  readonly pane: Pane | null;
  readonly isOver: boolean;
  readonly isHeld: boolean;
}): JSX.Element {
  const { slot, pane, isOver, isHeld } = props;
  const { agent, since } = slot.card;
  if (isOver || (pane === null && slot.leftAt !== null))
    return <span class="wait idle">No longer waiting</span>;
  // Its agent asks, and its terminal does not show it.
  if (slot.section === "waiting" && !isHeld && (pane === null || !waits(pane)))
    return <Asked at={since} />;
  if (pane !== null) return <Wait pane={pane} isCalm={isHeld} />;
  return <Ago at={since} class={`wait ${agent?.lifecycle === "error" ? "error" : "idle"}`} />;
}

/** What is done with a card besides answering it; `onDone` leads on, without it the one below is next. */
export function CardActs(props: {
  readonly slot: Slot;
  readonly isOff?: boolean;
  readonly onDone?: () => void;
}): JSX.Element {
  const { slot, isOff = false, onDone } = props;
  const { card, section } = slot;
  const { key, pane_id: paneId } = card;
  const { config, queue } = useServer();
  const { layout, shield } = useBrowser();
  const shielded = useShielded();
  const keys = (name: string) => layout.columns.value === 3 && <more.KeyCaps keys={name} />;
  const later = shielded(() => {
    const goOn = onDone ?? nextBelow(key);
    goOn();
    shield.raise();
    queue.later(key);
  });
  const putAway = shielded(() => queue.putAway(key));
  const canPutAway = section === "errors" && paneId !== null;
  useOffer(key, "later", isOff ? null : later);
  useOffer(key, "put away", canPutAway ? putAway : null);
  return (
    <>
      <Button tone="plain" disabled={isOff} onClick={later}>
        Later
        {keys("l")}
      </Button>
      {/* Nobody misses it where it cannot be loaded. */}
      <Boundary instead={() => <></>}>
        <more.ContextNote card={card} />
      </Boundary>
      {canPutAway && (
        <Button tone="plain" onClick={putAway}>
          Put away
          {keys("x")}
        </Button>
      )}
      {paneId !== null && config.has("changes_v1") && (
        <more.ChangesButton key={paneId} paneId={paneId} />
      )}
      {card.agent !== null && (
        <more.MarkButton card={card} onDone={onDone}>
          {keys("m")}
        </more.MarkButton>
      )}
    </>
  );
}

/** A press right after what is under the finger has changed was meant for what stood there before. */
export function useShielded() {
  const { clock, shield } = useBrowser();
  return (run: () => void) => (): void => {
    if (clock.monotonicMs() - shield.raisedAt >= SHIELD_MS) run();
  };
}

/** Lets a key do what the button of a card does; null while it can do nothing. */
export function useOffer(card: string, act: CardAct, run: (() => void) | null): void {
  const offers = usePart(CardOffers);
  const now = useRef(run);
  now.current = run;
  const isOn = run !== null;
  useLayoutEffect(
    () => (isOn ? offers.offer({ card, act, run: () => now.current?.() }) : undefined),
    [offers, card, act, isOn],
  );
}

/** Leads whoever is at this card to the one below it. */
export function nextBelow(card: string): () => void {
  const article = document.querySelector<HTMLElement>(`article[data-card="${CSS.escape(card)}"]`);
  const titles = [...document.querySelectorAll<HTMLElement>("article .card-title")];
  const own = titles.findIndex((title) => article?.contains(title));
  return () => giveFocus(own < 0 ? null : titles[own + 1], article);
}
