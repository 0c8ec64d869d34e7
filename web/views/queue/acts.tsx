import type { ComponentChildren, JSX } from "preact";
import { useLayoutEffect, useRef } from "preact/hooks";
import { SHIELD_MS } from "../../model/guard.ts";
import type { Card, Slot } from "../../model/queue.ts";
import { useBrowser, usePart, useServer } from "../../state/client.ts";
import { Marks } from "../../state/server/marks.ts";
import { Button, IconButton, Icon } from "../../ui/button.tsx";
import { giveFocus } from "../../ui/focus.ts";
import { Notice } from "../../ui/notice.tsx";
import { usePress, useSteadyTarget } from "../answer/press.ts";
import { ChangesButton } from "../changes/files.tsx";
import { useDerived } from "../parts/derived.ts";
import { ContextNote } from "../parts/facts.tsx";
import { KeyCaps } from "../parts/key-caps.tsx";

/** Without `onDone` the card below is next. */
export function CardActs(props: {
  readonly slot: Slot;
  readonly isOff?: boolean;
  readonly onDone?: () => void;
}): JSX.Element {
  const { slot, isOff = false, onDone } = props;
  const { card, section } = slot;
  const { key, pane_id: paneId } = card;
  const { config, queue } = useServer();
  const { layout, touch } = useBrowser();
  const shielded = useShielded();
  const keys = (name: string) => layout.columns.value === 3 && <KeyCaps keys={name} />;
  const later = shielded(() => {
    const goOn = onDone ?? nextBelow(key);
    goOn();
    touch.shield();
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
      <ContextNote card={card} />
      {paneId !== null && config.has("changes_v1") && (
        <ChangesButton key={paneId} paneId={paneId} />
      )}
      {canPutAway && (
        <Button tone="plain" onClick={putAway}>
          Put away
          {keys("x")}
        </Button>
      )}
      {card.agent !== null && (
        <MarkButton card={card} onDone={onDone}>
          {keys("m")}
        </MarkButton>
      )}
    </>
  );
}

/**
 * Marks as reviewed what was drawn of an agent when the finger came down; one that waits goes on
 * waiting. `isFixed`: it keeps its place where there is nothing to mark.
 */
export function MarkButton(props: {
  readonly card: Card;
  readonly isFixed?: boolean;
  readonly onDone?: (() => void) | undefined;
  readonly children?: ComponentChildren;
}): JSX.Element | null {
  const { card, isFixed = false, onDone, children } = props;
  const server = useServer();
  const { messages } = useBrowser();
  const marks = usePart(Marks);
  const step = marks.of(card);
  const isOpen = card.snapshot_id !== null && step !== "marking" && step !== "reviewed";
  const isOff = !isOpen || !server.may("answer");
  const steadySince = useSteadyTarget(card.snapshot_id ?? "");
  const mark = async (seen: Card, goOn: () => void) => {
    if (!(await marks.mark([seen]))) return;
    if (!marks.areMade) messages.say("A mark cannot be taken back; the chat keeps everything.");
    marks.areMade = true;
    goOn();
  };
  const see = () => {
    // News that have just come under the finger were not read.
    const isRead = performance.now() - steadySince() >= SHIELD_MS;
    const goOn = onDone ?? nextBelow(card.key);
    return { card: isRead ? card : null, goOn };
  };
  const release = (seen: ReturnType<typeof see>) => {
    if (seen.card !== null) void mark(seen.card, seen.goOn);
  };
  const press = usePress(see, release);
  useOffer(card.key, "mark", isOff ? null : () => release(see()));
  if (!isFixed && isOff && step === null) return null;
  return (
    <>
      {step === "failed" && (
        <Notice tone="error" title="Not marked" role="alert">
          The server did not answer.
        </Notice>
      )}
      <Button tone="plain" class={step === "reviewed" ? "marked" : ""} disabled={isOff} {...press}>
        <Icon name="check" />
        {step === "marking" ? "Marking" : "Reviewed"}
        {step === null && children}
      </Button>
    </>
  );
}

/** At the end of a row in Finished. */
export function AgentTick({ paneId }: { readonly paneId: string }): JSX.Element | null {
  const server = useServer();
  const { queue } = server;
  const marks = usePart(Marks);
  const card = useDerived(() => queue.card(`pane:${paneId}`), [paneId]);
  if (card === null || card.snapshot_id === null || !server.may("answer")) return null;
  const step = marks.of(card);
  return (
    <IconButton
      icon="check"
      label={`Reviewed: ${card.title}`}
      disabled={step === "marking" || step === "reviewed"}
      onClick={() => void marks.mark([card])}
    />
  );
}

/** Marks what the rows show, and nothing that has come since they were drawn. */
export function MarkFinished({ slots }: { readonly slots: readonly Slot[] }): JSX.Element | null {
  const server = useServer();
  const marks = usePart(Marks);
  const open = slots.flatMap(({ card }) => (card.snapshot_id === null ? [] : card));
  if (open.length < 2 || !server.may("answer")) return null;
  return (
    <div class="actions">
      <Button tone="plain" onClick={() => void marks.mark(open)}>
        <Icon name="check" />
        All reviewed
      </Button>
    </div>
  );
}

/** A press right after the page moved under the finger was meant for what stood there before. */
export function useShielded() {
  const { touch } = useBrowser();
  return (run: () => void) => (): void => {
    if (performance.now() - touch.shieldedAt >= SHIELD_MS) run();
  };
}

/** Buttons at the foot of a card. */
export type CardAct = "later" | "mark" | "put away";

interface Offer {
  readonly card: string;
  readonly act: CardAct;
  readonly run: () => void;
}

/** The buttons of the drawn cards, so that a key does exactly what its button does. */
export class CardOffers {
  readonly #offers = new Set<Offer>();

  /** Until the result is called. */
  offer(offer: Offer): () => void {
    this.#offers.add(offer);
    return () => void this.#offers.delete(offer);
  }

  /** The last drawn button; null where there is none, or it is disabled. */
  find(card: string, act: CardAct): (() => void) | null {
    return [...this.#offers].findLast((one) => one.card === card && one.act === act)?.run ?? null;
  }
}

/** Lets a key press a button of a card; `run` is null while the button is off. */
export function useOffer(card: string, act: CardAct, run: (() => void) | null): void {
  const offers = usePart(CardOffers);
  const latest = useRef(run);
  latest.current = run;
  const isOn = run !== null;
  useLayoutEffect(
    () => (isOn ? offers.offer({ card, act, run: () => latest.current?.() }) : undefined),
    [offers, card, act, isOn],
  );
}

/** Moves the focus from this card to the one below it. */
function nextBelow(card: string): () => void {
  const article = document.querySelector<HTMLElement>(`article[data-card="${CSS.escape(card)}"]`);
  const titles = [...document.querySelectorAll<HTMLElement>("article .card-title")];
  const own = titles.findIndex((title) => article?.contains(title));
  return () => giveFocus(own < 0 ? null : titles[own + 1], article);
}
