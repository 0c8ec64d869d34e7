import type { JSX, RefObject } from "preact";
import { useId, useRef } from "preact/hooks";
import type { Answer } from "../../model/answer.ts";
import { holdsAnswers } from "../../model/answer.ts";
import { signatureOf } from "../../model/guard.ts";
import { canWrite, failed, isParked, waits, type Pane } from "../../model/pane.ts";
import { agentOf, type Section, type Slot } from "../../model/queue/order.ts";
import { useBrowser, useClient, useServer } from "../../state/client.ts";
import { Button } from "../../ui/button.tsx";
import { memo } from "../../ui/memo.tsx";
import { Fate, hasFate } from "../answer/fate.tsx";
import { AnswerNotice } from "../answer/notices.tsx";
import { OtherAct, useOtherAct } from "../answer/other-act.tsx";
import { usePress } from "../answer/press.ts";
import { Prompt, useShown } from "../answer/prompt.tsx";
import { useSteady } from "../answer/steady.ts";
import { more } from "../more.tsx";
import { Boundary } from "../parts/boundary.tsx";
import { useDerived } from "../parts/derived.ts";
import { Excerpt } from "../parts/excerpt.tsx";
import { Place, TerminalText } from "../parts/text.tsx";
import { Tile } from "../parts/tile.tsx";
import { Wait } from "../parts/wait.tsx";
import { Asked } from "../parts/ago.tsx";
import { giveFocus } from "../../ui/focus.ts";

/** One pane of the queue, always expanded: what its agent did, what it asks, and the answers. */
export const PaneCard = memo(function PaneCard(props: {
  readonly slot: Slot;
  readonly section: Section;
  readonly pane: Pane;
}): JSX.Element {
  const { slot, section, pane } = props;
  const { shown, answer } = useShown(pane);
  const card = useRef<HTMLElement>(null);
  const titleId = useId();
  const agentId = agentOf(slot.key);
  const isHeld = holdsAnswers(answer);
  const other = useOtherAct(pane);
  // What is news goes as it stands: it was marked here, or has nothing new any more.
  const isOver = slot.leftAt !== null && !isHeld && (section === "waiting" || section === "errors");
  return (
    <article
      ref={card}
      class="card"
      aria-labelledby={titleId}
      data-card={slot.key}
      data-pane={pane.id}
      data-agent={agentId ?? undefined}
    >
      <CardHeader
        {...{ slot, answer, titleId }}
        pane={shown}
        isOver={isOver}
        isAsked={section === "waiting" && !waits(shown) && !isHeld}
      />
      {isOver && other !== null && <OtherAct act={other} />}
      {!isOver && (
        <>
          {agentId !== null && <more.AgentNews agentId={agentId} />}
          <PaneAsks pane={shown} answer={answer} card={card} agentId={agentId} />
          <CardFoot slot={slot} section={section} isOff={isHeld} />
        </>
      )}
    </article>
  );
});

/** What the screen asks wins; what its agent asks besides stands below it. */
export function PaneAsks(props: {
  readonly pane: Pane;
  readonly answer: Answer | null;
  readonly card: RefObject<HTMLElement | null>;
  readonly agentId: string | null;
}): JSX.Element {
  const { pane, answer, card, agentId } = props;
  return (
    <>
      {waits(pane) && <Prompt {...{ pane, answer, card }} withExcerpt headingLevel={3} />}
      {waits(pane) && pane.menu.length === 0 && <OpenPane pane={pane} />}
      {agentId !== null && (
        <more.AgentAsks agentId={agentId} asked={waits(pane) ? (pane.question ?? "") : null} />
      )}
      {failed(pane) && <FailedBody pane={pane} answer={answer} card={card} />}
    </>
  );
}

/** What is done with a card besides answering it. */
export function CardFoot(props: {
  readonly slot: Slot;
  readonly section: Section;
  readonly isOff?: boolean;
}): JSX.Element {
  const { slot, section, isOff = false } = props;
  const { config, queue: store } = useServer();
  const agentId = agentOf(slot.key);
  return (
    <footer class="queue-foot">
      <LaterButton entryKey={slot.key} isOff={isOff} />
      {/* Nobody misses it where it cannot be loaded. */}
      <Boundary instead={() => <></>}>
        <more.ContextNote paneId={slot.paneId} agentId={agentId} />
      </Boundary>
      {section === "errors" && slot.paneId !== null && (
        <Button tone="plain" data-put-away onClick={() => store.putAway(slot.key)}>
          Put away
        </Button>
      )}
      {slot.paneId !== null && config.has("changes_v1") && (
        <more.ChangesButton paneId={slot.paneId} />
      )}
      {agentId !== null && <more.AgentMark agentId={agentId} />}
    </footer>
  );
}

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
    giveFocus(next, article);
  };
  return (
    <Button tone="plain" disabled={isOff} data-later onClick={later}>
      Later
    </Button>
  );
}

export function CardHeader(props: {
  readonly slot: Slot;
  readonly pane: Pane;
  readonly answer: Answer | null;
  readonly titleId: string;
  readonly isOver: boolean;
  /** Its agent asks, and its terminal does not show it. */
  readonly isAsked: boolean;
}): JSX.Element {
  const { slot, pane, answer, titleId, isOver, isAsked } = props;
  const client = useClient();
  return (
    <header class="card-header">
      <Tile pane={pane} />
      <h2 class="grow">
        <button
          type="button"
          class="card-title"
          onClick={() => client.browser.router.go(client.pageHash(pane))}
        >
          <span class="name truncate" id={titleId}>
            <TerminalText text={pane.name} />
          </span>
          <span class="where truncate">
            <Place pane={pane} />
          </span>
        </button>
      </h2>
      <Urgent entryKey={slot.key} />
      {isOver && <span class="wait idle">No longer waiting</span>}
      {!isOver && isAsked && <AskedFor entryKey={slot.key} />}
      {!isOver && !isAsked && <Wait pane={pane} isCalm={holdsAnswers(answer)} />}
    </header>
  );
}

function AskedFor({ entryKey }: { readonly entryKey: string }): JSX.Element | null {
  const { queue: store } = useServer();
  const since = useDerived(() => store.entry(entryKey)?.since ?? null, [entryKey]);
  return since === null ? null : <Asked at={since} />;
}

/** Its agent calls a decision of it high or critical. */
export function Urgent({ entryKey }: { readonly entryKey: string }): JSX.Element | null {
  const { queue: store } = useServer();
  const isUrgent = useDerived(() => store.entry(entryKey)?.isUrgent === true, [entryKey]);
  return isUrgent ? <span class="urgent">Urgent</span> : null;
}

function OpenPane({ pane }: { readonly pane: Pane }): JSX.Element {
  const { router } = useBrowser();
  return (
    <div class="actions">
      <Button onClick={() => router.goPane(pane.id)}>Open pane</Button>
    </div>
  );
}

/** An error: what tells it, a ready reply under the same guards, and the way to the pane. */
export function FailedBody(props: {
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
  const press = usePress({
    see: () => ({ pane, text, label: text ?? "" }),
    release: (seen, pressedAt) => {
      if (seen.text === null) return;
      void acts.answer({ ...seen, option: null, pressedAt, steadySince: steady.since() });
    },
    holds: false,
  });
  const isOff = !canWrite(pane) || !canAnswer.value || holdsAnswers(answer);
  if (hasFate(answer)) return <Fate attempt={answer} paneId={pane.id} />;
  return (
    <>
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
    </>
  );
}
