import type { JSX, RefObject } from "preact";
import { useId, useRef } from "preact/hooks";
import type { Answer } from "../../model/answer.ts";
import { holdsAnswers } from "../../model/answer.ts";
import { SHIELD_MS, signatureOf } from "../../model/guard.ts";
import { canWrite, failed, isParked, waits, type Pane } from "../../model/pane.ts";
import { isNews, type Slot } from "../../model/queue.ts";
import { agentHash } from "../../state/browser/router.ts";
import { useBrowser, useClient, useServer } from "../../state/client.ts";
import { Button } from "../../ui/button.tsx";
import { giveFocus } from "../../ui/focus.ts";
import { memo } from "../../ui/memo.tsx";
import { Tag } from "../../ui/tag.tsx";
import { Fate, hasFate, OtherAct, useOtherAct } from "../answer/fate.tsx";
import { AnswerNotice } from "../answer/notices.tsx";

import { usePress } from "../answer/press.ts";
import { Prompt } from "../answer/prompt.tsx";
import { useSteady } from "../answer/steady.ts";
import { more } from "../more.tsx";
import { Ago, Asked, Wait } from "../parts/wait.tsx";
import { Boundary } from "../parts/boundary.tsx";
import { useLastPane } from "../parts/derived.ts";
import { Excerpt } from "../parts/excerpt.tsx";
import { Place, TerminalText } from "../parts/text.tsx";
import { AgentTile, Tile } from "../parts/tile.tsx";

/**
 * One that needs a person: who, what it asks with its answers, what is new of its work. `isWhole`: by
 * itself, where what can be done with it stands at the foot of the page.
 */
export const QueueCard = memo(function QueueCard(props: {
  readonly slot: Slot;
  readonly isWhole?: boolean;
}): JSX.Element | null {
  const { slot, isWhole = false } = props;
  const { card, section, leftAt } = slot;
  const { acts } = useServer();
  const article = useRef<HTMLElement>(null);
  const titleId = useId();
  const pane = useLastPane(card.pane_id);
  const other = useOtherAct(pane);
  const answer = pane === null ? null : acts.of(pane.id).value;
  const isHeld = holdsAnswers(answer);
  const shown = isHeld ? answer.sent.shown : pane;
  if (shown === null && card.agent === null) return null;
  // What is news goes as it stands: it was marked here, or has nothing new any more.
  const isOver = leftAt !== null && !isHeld && !isNews(section);
  const isAbove = shown !== null && waits(shown);
  return (
    <article
      ref={article}
      class="card"
      aria-labelledby={titleId}
      data-card={card.key}
      data-pane={pane?.id}
      data-agent={card.agent_id ?? undefined}
    >
      <CardHeader {...{ slot, titleId, isOver, isHeld }} pane={shown} />
      {isOver && other !== null && <OtherAct act={other} />}
      {!isOver && shown !== null && <PaneAsks pane={shown} {...{ answer }} card={article} />}
      {!isOver && shown === null && section === "blocked" && card.agent !== null && (
        <more.ParkedAgent agent={card.agent} />
      )}
      {!isOver && card.asks !== null && (!isAbove || card.asks.more > 0) && (
        <more.AgentAsks card={card} isAbove={isAbove} />
      )}
      {(!isOver || isWhole) && card.agent_id !== null && (
        <div class="news-room">
          {card.agent !== null && (
            <more.AgentNews card={card} isOpen={isWhole || isNews(section)} />
          )}
        </div>
      )}
      {!isOver && !isWhole && (
        <footer class="queue-foot flex wrap between gap-8">
          <CardActs slot={slot} isOff={isHeld} />
        </footer>
      )}
    </article>
  );
});

function CardHeader(props: {
  readonly slot: Slot;
  readonly pane: Pane | null;
  readonly titleId: string;
  readonly isOver: boolean;
  readonly isHeld: boolean;
}): JSX.Element {
  const { slot, pane, titleId, isOver, isHeld } = props;
  const { card, section } = slot;
  const { agent, since, title, urgent } = card;
  const client = useClient();
  const { labels } = client.server.config;
  // Its agent asks, and its terminal does not show it.
  const isAsked = section === "waiting" && !isHeld && (pane === null || !waits(pane));
  const hash = pane === null ? agentHash(card.agent_id ?? "") : client.pageHash(pane);
  return (
    <header class="card-header">
      {pane !== null ? <Tile pane={pane} /> : agent !== null && <AgentTile agent={agent} />}
      <h2 class="grow">
        <button type="button" class="card-title" onClick={() => client.browser.router.go(hash)}>
          <span class="name truncate" id={titleId}>
            <TerminalText text={pane?.name ?? title} />
          </span>
          <span class="where truncate">
            {urgent && <Tag tone="error">Urgent</Tag>}{" "}
            {pane !== null ? (
              <Place pane={pane} />
            ) : (
              <TerminalText text={labels.value[agent?.runtime ?? ""] ?? agent?.runtime ?? ""} />
            )}
          </span>
        </button>
      </h2>
      {isOver || (pane === null && slot.leftAt !== null) ? (
        <span class="wait idle">No longer waiting</span>
      ) : isAsked ? (
        <Asked at={since} />
      ) : pane !== null ? (
        <Wait pane={pane} isCalm={isHeld} />
      ) : (
        <Ago at={since} class={`wait ${agent?.lifecycle === "error" ? "error" : "idle"}`} />
      )}
    </header>
  );
}

/** What the screen asks, with the answers; or what it failed with. */
function PaneAsks(props: {
  readonly pane: Pane;
  readonly answer: Answer | null;
  readonly card: RefObject<HTMLElement | null>;
}): JSX.Element | null {
  const { pane } = props;
  if (failed(pane)) return <FailedBody {...props} />;
  if (!waits(pane)) return null;
  return (
    <>
      <Prompt {...props} withExcerpt headingLevel={3} />
      {pane.menu.length === 0 && (
        <div class="actions">
          <OpenPane pane={pane} />
        </div>
      )}
    </>
  );
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
  const later = ({ currentTarget }: { readonly currentTarget: Element }) => {
    const goOn = onDone ?? nextBelow(currentTarget);
    goOn();
    shield.raise();
    queue.later(key);
  };
  return (
    <>
      <Button tone="plain" disabled={isOff} data-later onClick={shielded(later)}>
        Later
        {keys("l")}
      </Button>
      {/* Nobody misses it where it cannot be loaded. */}
      <Boundary instead={() => <></>}>
        <more.ContextNote card={card} />
      </Boundary>
      {section === "errors" && paneId !== null && (
        <Button tone="plain" data-put-away onClick={shielded(() => queue.putAway(key))}>
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
  return <Event,>(run: (event: Event) => void) =>
    (event: Event): void => {
      if (clock.monotonicMs() - shield.raisedAt >= SHIELD_MS) run(event);
    };
}

/** Leads whoever is at this card to the one below it. */
export function nextBelow(from: Element): () => void {
  const article = from.closest("article");
  const titles = [...document.querySelectorAll<HTMLElement>("article .card-title")];
  const own = titles.findIndex((title) => article?.contains(title));
  return () => giveFocus(own < 0 ? null : titles[own + 1], article);
}

function OpenPane({ pane }: { readonly pane: Pane }): JSX.Element {
  const { router } = useBrowser();
  return <Button onClick={() => router.goPane(pane.id)}>Open pane</Button>;
}

/** An error: what tells it, a ready reply under the same guards, and the way to the pane. */
function FailedBody(props: {
  readonly pane: Pane;
  readonly answer: Answer | null;
  readonly card: RefObject<HTMLElement | null>;
}): JSX.Element {
  const { pane, answer, card } = props;
  const { acts, canAnswer } = useServer();
  const { preferences } = useBrowser();
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
        <OpenPane pane={pane} />
      </div>
    </>
  );
}
