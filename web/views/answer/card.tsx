import type { ComponentChildren, JSX, RefObject } from "preact";
import { useId, useRef } from "preact/hooks";
import { answeredElsewhere, holdsAnswers, type Answer, type PaneAct } from "../../model/answer.ts";
import { evidenceAsks } from "../../model/excerpt.ts";
import { signatureOf } from "../../model/guard.ts";
import {
  failed,
  isParked,
  takesInput,
  waits,
  type MenuOption,
  type Pane,
} from "../../model/pane.ts";
import type { Card as QueueCard } from "../../model/queue.ts";
import { useBrowser, useServer } from "../../state/client.ts";
import { Button } from "../../ui/button.tsx";
import { Tag } from "../../ui/heading.tsx";
import { more, optional } from "../more.tsx";
import { Boundary, FailureNotice } from "../parts/boundary.tsx";
import { useDerived } from "../parts/derived.ts";
import { Excerpt } from "../parts/excerpt.tsx";
import { PanePath, TerminalText } from "../parts/text.tsx";
import { AgentTile, Tile } from "../parts/status.tsx";
import { Fate, Notices } from "./fate.tsx";
import { Options } from "./options.tsx";
import { useSteady } from "./press.ts";
import { useFreeform } from "./option.tsx";

interface AnswerState<P = Pane | null> {
  /** While an answer is on its way, as it was at the press. */
  readonly pane: P | Pane;
  readonly answer: Answer | null;
  /** Whether an answer is on its way, or was sent, or is in doubt. */
  readonly isHeld: boolean;
  /** A new answer from another device, or from another tab. */
  readonly other: PaneAct | null;
}

/** `pane` is null where only the agent is known. */
export function useAnswerState<P extends Pane | null>(pane: P): AnswerState<P> {
  const { clock } = useBrowser();
  const { answers, outbox } = useServer();
  const other = useDerived(() => {
    const isOwn = pane === null || pane.act === null || outbox.isOwnKey(pane.act.key);
    return isOwn ? null : answeredElsewhere(pane, clock.now.value);
  }, [pane]);
  const answer = pane === null ? null : answers.of(pane.id).value;
  const isHeld = holdsAnswers(answer);
  return { pane: isHeld ? answer.sent.shown : pane, answer, isHeld, other };
}

interface CardProps extends Omit<AnswerState, "isHeld"> {
  /** `whole` in the queue; the others stand at the page of their pane. */
  readonly size: "whole" | "beside" | "docked";
  readonly head: ComponentChildren;
  /** Nothing is asked any more: the card says what became of the answer. */
  readonly isOver: boolean;
  /** The head alone is shown. */
  readonly isFolded?: boolean;
  readonly withExcerpt?: boolean;
  readonly withQuestion?: boolean;
  readonly frame?: JSX.IntrinsicElements["article"] &
    Readonly<Record<`data-${string}`, string | undefined>>;
  /** Below the answers. */
  readonly children?: ComponentChildren;
}

export function Card(props: CardProps): JSX.Element {
  const { size, pane, answer, other, head, isOver, isFolded = false, frame, children } = props;
  const card = useRef<HTMLElement>(null);
  const isWhole = size === "whole";
  const Frame = isWhole ? "article" : "section";
  const asks = !isFolded && !isOver && pane !== null;
  return (
    <Frame ref={card} class={size === "docked" ? "docked stack relative" : "card"} {...frame}>
      {head}
      {asks && !isWhole && (
        <div class="docked-body scroll">
          <Prompt {...props} {...{ pane, card }} />
        </div>
      )}
      {asks && isWhole && (waits(pane) || failed(pane)) && (
        <Prompt {...props} {...{ pane, card }} />
      )}
      {isOver && pane !== null && <Fate paneId={pane.id} {...{ answer, other }} />}
      {children}
    </Frame>
  );
}

/** `card` is the element that must not move under a press. */
function Prompt(
  props: CardProps & { readonly pane: Pane; readonly card: RefObject<HTMLElement | null> },
): JSX.Element {
  const { size, pane, answer, other, card, withExcerpt = true, withQuestion = true } = props;
  const isWhole = size === "whole";
  // At the page of its pane an error needs no ready reply: the composer is there.
  const hasFailed = isWhole && failed(pane);
  const { router } = useBrowser();
  const openPane = <Button onClick={() => router.goPane(pane.id)}>Open pane</Button>;
  const questionId = useId();
  const freeform = useFreeform(pane);
  // Without a change of the prompt another control can come under the finger.
  const controls = [signatureOf(pane), freeform?.key, holdsAnswers(answer), other?.key].join(" ");
  const steadySince = useSteady(card, controls);
  const Heading = isWhole ? "h3" : "h2";
  // A program's own sentence stands below what it is about, small.
  const look = evidenceAsks(pane) ? "question own-sentence" : "question";
  return (
    <>
      <Notices pane={pane} answer={answer} />
      {hasFailed && isParked(pane) && <optional.Parked pane={pane} />}
      {withExcerpt && <Excerpt {...{ pane, isWhole }} />}
      {!hasFailed && pane.question !== null && (
        <Heading class={withQuestion ? look : "visually-hidden"} id={questionId} tabIndex={-1}>
          <TerminalText text={pane.question} />
        </Heading>
      )}
      <Fate paneId={pane.id} answer={answer} other={hasFailed ? null : other}>
        {hasFailed ? (
          <div class="actions">
            <optional.ReadyReply {...{ pane, steadySince }} isDisabled={holdsAnswers(answer)} />
            {openPane}
          </div>
        ) : (
          <Answers {...{ pane, answer, freeform, questionId, steadySince }} />
        )}
      </Fate>
      {isWhole && !hasFailed && pane.menu.length === 0 && <div class="actions">{openPane}</div>}
    </>
  );
}

function Answers(props: {
  readonly pane: Pane;
  readonly answer: Answer | null;
  readonly freeform: MenuOption | null;
  readonly questionId: string;
  readonly steadySince: () => number;
}): JSX.Element | null {
  const { pane, answer, freeform, steadySince } = props;
  const server = useServer();
  const { canAnswer, picks } = server;
  // A device that may only look reads the options.
  if (!server.may("answer"))
    return (
      <ol class="stack gap-8 mt-8 text-2">
        {pane.menu.map(({ key, label }) => (
          <li key={key}>
            <TerminalText text={label} />
          </li>
        ))}
      </ol>
    );
  if (picks.isOn.value && waits(pane) && !picks.takes(pane))
    return (
      <p class="hint">
        This one cannot be picked ahead. Answer it with “Answer now”, or in its pane.
      </p>
    );
  const isOff = !takesInput(pane) || !canAnswer.value || holdsAnswers(answer);
  // Its room is there from the first drawing on: a card that moves takes no answer.
  const reply = (
    <div class="reply own-words grid gap-10 round-3">
      <Boundary instead={(retry) => <FailureNotice onRetry={retry} />}>
        <more.Reply {...{ pane, steadySince }} option={freeform} isDisabled={isOff} />
      </Boundary>
    </div>
  );
  if (pane.menu.length > 0) return <Options {...props} reply={reply} />;
  return waits(pane) ? reply : null;
}

export function CardHead(props: {
  readonly pane: Pane | null;
  /** Absent at the page of its pane. */
  readonly card?: QueueCard;
  readonly level: 1 | 2;
  readonly titleId?: string;
  readonly end: ComponentChildren;
  /** Opens its page. */
  readonly onOpen?: () => void;
}): JSX.Element {
  const { pane, card, level, titleId, end, onOpen } = props;
  const { labels } = useServer().config;
  const { agent = null, title = "", urgent = false } = card ?? {};
  const runtime = agent?.runtime ?? "";
  const Heading = `h${level}` as const;
  const who = (
    <>
      <span class="name own-line truncate fs-16 bold" id={titleId}>
        <TerminalText text={pane?.name ?? title} />
      </span>
      <span class="where own-line truncate fs-12 text-2">
        {urgent && <Tag tone="error">Urgent</Tag>}{" "}
        {pane !== null ? (
          <PanePath pane={pane} />
        ) : (
          <TerminalText text={labels.value[runtime] ?? runtime} />
        )}
      </span>
    </>
  );
  return (
    <header class="card-header flex">
      {pane !== null ? <Tile pane={pane} /> : agent !== null && <AgentTile agent={agent} />}
      <Heading class="grow">
        {onOpen === undefined ? (
          who
        ) : (
          <button type="button" class="card-title own-line full relative" onClick={onOpen}>
            {who}
          </button>
        )}
      </Heading>
      {end}
    </header>
  );
}
