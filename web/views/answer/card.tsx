import type { ComponentChildren, JSX, RefObject } from "preact";
import { useRef } from "preact/hooks";
import { holdsAnswers, type Answer, type PaneAct } from "../../model/answer.ts";
import { signatureOf } from "../../model/guard.ts";
import { canWrite, failed, isParked, waits, type Pane } from "../../model/pane.ts";
import { useBrowser, useServer } from "../../state/client.ts";
import { Button } from "../../ui/button.tsx";
import { more } from "../more.tsx";
import { Excerpt } from "../parts/excerpt.tsx";
import { TerminalText } from "../parts/text.tsx";
import { Fate, useOtherAct } from "./fate.tsx";
import { AnswerNotice } from "./notices.tsx";
import { usePress, useSteady } from "./press.ts";
import { Prompt } from "./prompt.tsx";

interface Shown<P = Pane | null> {
  /** As it is to be seen: while an answer is on its way, as the reader saw it. */
  readonly pane: P | Pane;
  readonly answer: Answer | null;
  /** Whether an answer is on its way, or was sent, or is in doubt. */
  readonly isHeld: boolean;
  /** What another device has just answered there. */
  readonly other: PaneAct | null;
}

/** A pane, or null where only its agent is known, with what becomes of answers to it. */
export function useShown<P extends Pane | null>(pane: P): Shown<P> {
  const { answers } = useServer();
  const other = useOtherAct(pane);
  const answer = pane === null ? null : answers.of(pane.id).value;
  const isHeld = holdsAnswers(answer);
  return { pane: isHeld ? answer.sent.shown : pane, answer, isHeld, other };
}

interface CardProps extends Omit<Shown, "isHeld"> {
  /** `whole`: in a list, or by itself. The others stand at the page of their pane, which says who it is. */
  readonly size: "whole" | "beside" | "docked";
  readonly head: ComponentChildren;
  /** It asks no more: what became of it stands there alone. */
  readonly isOver: boolean;
  /** Its head stands alone. */
  readonly isFolded?: boolean;
  readonly withExcerpt?: boolean;
  readonly withQuestion?: boolean;
  readonly frame?: JSX.IntrinsicElements["article"] &
    Readonly<Record<`data-${string}`, string | undefined>>;
  /** Below the answers. */
  readonly children?: ComponentChildren;
}

/** One card in its three sizes: its head, what its pane asks with the answers, or what became of one. */
export function Card(props: CardProps): JSX.Element {
  const { size, head, isFolded = false, frame, children } = props;
  const card = useRef<HTMLElement>(null);
  const Frame = size === "whole" ? "article" : "section";
  return (
    <Frame ref={card} class={size === "docked" ? "docked" : "card"} {...frame}>
      {head}
      {!isFolded && <Body {...props} card={card} />}
      {children}
    </Frame>
  );
}

/** What one pane asks, or what it failed with. `card` is the element that must not move under a press. */
function Body(props: CardProps & { readonly card: RefObject<HTMLElement | null> }) {
  const {
    size,
    pane,
    answer,
    other,
    isOver,
    card,
    withExcerpt = true,
    withQuestion = true,
  } = props;
  const { router } = useBrowser();
  if (pane === null) return null;
  if (isOver) return <Fate paneId={pane.id} {...{ answer, other }} />;
  const isWhole = size === "whole";
  if (isWhole && failed(pane)) return <Failed {...{ pane, answer, card }} />;
  if (isWhole && !waits(pane)) return null;
  const prompt = (
    <Prompt
      {...{ pane, answer, other, card, withExcerpt, withQuestion }}
      headingLevel={isWhole ? 3 : 2}
    />
  );
  if (!isWhole) return <div class="docked-body scroll">{prompt}</div>;
  return (
    <>
      {prompt}
      {pane.menu.length === 0 && (
        <div class="actions">
          <Button onClick={() => router.goPane(pane.id)}>Open pane</Button>
        </div>
      )}
    </>
  );
}

/** An error: what tells it, a ready reply under the same guards, and the way to the pane. */
function Failed(props: {
  readonly pane: Pane;
  readonly answer: Answer | null;
  readonly card: RefObject<HTMLElement | null>;
}): JSX.Element {
  const { pane, answer, card } = props;
  const { acts, canAnswer } = useServer();
  const { preferences, router } = useBrowser();
  const steady = useSteady(card, signatureOf(pane));
  // A program or a shell would run it as a command.
  const text = pane.agent === null ? null : (preferences.current.value.snippets[0] ?? null);
  const press = usePress(
    () => ({ pane, text, label: text ?? "" }),
    (seen, pressedAt) => {
      if (seen.text === null) return;
      void acts.answer({ ...seen, option: null, pressedAt, steadySince: steady.since() });
    },
  );
  const isOff = !canWrite(pane) || !canAnswer.value || holdsAnswers(answer);
  return (
    <Fate paneId={pane.id} answer={answer}>
      <AnswerNotice pane={pane} answer={answer} />
      {isParked(pane) && <more.Parked pane={pane} />}
      <Excerpt pane={pane} />
      <div class="actions">
        {text !== null && (
          <Button disabled={isOff} {...press}>
            {`Reply “${text}”`}
          </Button>
        )}
        <Button onClick={() => router.goPane(pane.id)}>Open pane</Button>
      </div>
    </Fate>
  );
}

/** Who it is and where, and at the end since when. */
export function CardHead(props: {
  readonly tile: ComponentChildren;
  readonly name: string;
  readonly where: ComponentChildren;
  readonly end: ComponentChildren;
  readonly level: 1 | 2;
  readonly titleId?: string;
  /** Where its name leads to; it stands there already without one. */
  readonly onOpen?: () => void;
}): JSX.Element {
  const { tile, name, where, end, level, titleId, onOpen } = props;
  const Heading = `h${level}` as const;
  const title = (
    <>
      <span class="name truncate" id={titleId}>
        <TerminalText text={name} />
      </span>
      <span class="where truncate">{where}</span>
    </>
  );
  return (
    <header class="card-header">
      {tile}
      <Heading class="grow">
        {onOpen === undefined ? (
          title
        ) : (
          <button type="button" class="card-title own-line full relative" onClick={onOpen}>
            {title}
          </button>
        )}
      </Heading>
      {end}
    </header>
  );
}
