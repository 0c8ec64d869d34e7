import type { JSX, RefObject } from "preact";
import { useId, useRef } from "preact/hooks";
import type { Answer } from "../../model/answer.ts";
import { holdsAnswers } from "../../model/attempt.ts";
import { signatureOf } from "../../model/guard.ts";
import { canWrite, failed, waits, type Pane } from "../../model/pane.ts";
import { useBrowser, useServer } from "../../state/client.ts";
import { Button } from "../../ui/button.tsx";
import { memo } from "../../ui/memo.tsx";
import { queue } from "../../words/queue.ts";
import { Fate, hasFate } from "../answer/fate.tsx";
import { AnswerNotice } from "../answer/notices.tsx";
import { usePress } from "../answer/press.ts";
import { Prompt, useShown } from "../answer/prompt.tsx";
import { useSteady } from "../answer/steady.ts";
import { AgentMark, AgentNews } from "../later.tsx";
import { Excerpt } from "../parts/excerpt.tsx";
import { Place, TerminalText } from "../parts/text.tsx";
import { Tile } from "../parts/tile.tsx";
import { WaitOrSent } from "../answer/wait-or-sent.tsx";

/** One pane that waits or has failed, always expanded. `belongs`: whether its group is still its own. */
export const Card = memo(function Card(props: {
  readonly entryKey: string;
  readonly pane: Pane;
  readonly belongs: (pane: Pane) => boolean;
}): JSX.Element {
  const { entryKey, pane, belongs } = props;
  const { shown, answer } = useShown(pane);
  const facts = useServer().workspace.facts.value;
  const hasReview = facts.step === "on" && facts.hasReview;
  const card = useRef<HTMLElement>(null);
  const titleId = useId();
  const isOver = !belongs(pane) && !holdsAnswers(answer);
  return (
    <article ref={card} class="card" aria-labelledby={titleId} data-pane={pane.id}>
      <CardHeader pane={shown} answer={answer} titleId={titleId} isOver={isOver} />
      {!isOver && hasReview && <AgentNews paneId={pane.id} />}
      {!isOver && failed(shown) && (
        <FailedBody entryKey={entryKey} pane={shown} answer={answer} card={card} />
      )}
      {!isOver && !failed(shown) && (
        <Prompt pane={shown} answer={answer} card={card} withExcerpt headingLevel={3} />
      )}
      {!isOver && waits(shown) && shown.menu.length === 0 && <OpenPane pane={pane} />}
      {!isOver && (
        <footer class="queue-foot">
          <LaterButton entryKey={entryKey} isOff={holdsAnswers(answer)} />
          {hasReview && <AgentMark paneId={pane.id} />}
        </footer>
      )}
    </article>
  );
});

/** To the end of its section; whoever is at it goes on with the card that comes up in its place. */
function LaterButton(props: { readonly entryKey: string; readonly isOff: boolean }): JSX.Element {
  const { entryKey, isOff } = props;
  const { queue: store } = useServer();
  const { shield } = useBrowser();
  const later = ({ currentTarget }: { readonly currentTarget: HTMLElement }) => {
    const titles = [...document.querySelectorAll<HTMLElement>("article .card-title")];
    const article = currentTarget.closest("article");
    const next = titles[titles.findIndex((title) => article?.contains(title)) + 1];
    shield.raise();
    store.later(entryKey);
    next?.focus({ preventScroll: true });
  };
  return (
    <Button tone="plain" disabled={isOff} data-later onClick={later}>
      {queue.later}
    </Button>
  );
}

function CardHeader(props: {
  readonly pane: Pane;
  readonly answer: Answer | null;
  readonly titleId: string;
  readonly isOver: boolean;
}): JSX.Element {
  const { pane, answer, titleId, isOver } = props;
  const { router } = useBrowser();
  return (
    <header class="card-header">
      <Tile pane={pane} />
      <h2 class="grow">
        <button type="button" class="card-title" onClick={() => router.goPane(pane.id)}>
          <span class="name truncate" id={titleId}>
            <TerminalText text={pane.name} />
          </span>
          <span class="where truncate">
            <Place pane={pane} />
          </span>
        </button>
      </h2>
      {isOver && <span class="wait idle">{queue.noLongerWaiting}</span>}
      {!isOver && <WaitOrSent pane={pane} answer={answer} />}
    </header>
  );
}

function OpenPane({ pane }: { readonly pane: Pane }): JSX.Element {
  const { router } = useBrowser();
  return (
    <div class="actions">
      <Button onClick={() => router.goPane(pane.id)}>{queue.openPane}</Button>
    </div>
  );
}

/** An error: what tells it, a ready reply under the same guards, and the way to the pane. */
function FailedBody(props: {
  readonly entryKey: string;
  readonly pane: Pane;
  readonly answer: Answer | null;
  readonly card: RefObject<HTMLElement | null>;
}): JSX.Element {
  const { entryKey, pane, answer, card } = props;
  const { answers, canAnswer, queue: store } = useServer();
  const { preferences, router } = useBrowser();
  const steady = useSteady(card, signatureOf(pane));
  // A program or a shell would run it as a command.
  const text = pane.agent === null ? null : (preferences.current.value.snippets[0] ?? null);
  const press = usePress({
    see: () => ({ pane, text, label: text ?? "" }),
    release: (seen, pressedAt) => {
      if (seen.text === null) return;
      void answers.send({ ...seen, option: null, pressedAt, steadySince: steady.since() });
    },
    holds: false,
  });
  const isOff = !canWrite(pane) || !canAnswer.value || holdsAnswers(answer);
  if (hasFate(answer)) return <Fate attempt={answer} paneId={pane.id} />;
  return (
    <>
      <AnswerNotice pane={pane} answer={answer} />
      <Excerpt pane={pane} />
      <div class="actions">
        {text !== null && (
          <Button disabled={isOff} {...press}>
            {queue.replyContinue(text)}
          </Button>
        )}
        <Button onClick={() => router.goPane(pane.id)}>{queue.openPane}</Button>
        <Button tone="plain" data-put-away onClick={() => store.putAway(entryKey)}>
          {queue.putAway}
        </Button>
      </div>
    </>
  );
}
