import type { ComponentChildren, JSX } from "preact";
import { useId, useRef } from "preact/hooks";
import type { SeenAgent } from "../../../src/protocol/tolerant-agents.ts";
import { failed } from "../../model/pane.ts";
import { isMarkable, newer, type Card } from "../../model/review/cards.ts";
import type { Mark } from "../../state/server/agents/marks.ts";
import type { Workspace } from "../../state/server/agents/workspace.ts";
import { agentHash } from "../../state/browser/router.ts";
import { useBrowser, useServer } from "../../state/client.ts";
import { Button } from "../../ui/button.tsx";
import { Icon } from "../../ui/icons.tsx";
import { memo } from "../../ui/memo.tsx";
import { timeOfDay } from "../../words/common.ts";
import { review as words } from "../../words/review.ts";
import { Notice } from "../../ui/notice.tsx";
import { Excerpt } from "../parts/excerpt.tsx";
import { KeyCaps } from "../parts/key-caps.tsx";
import { Place, TerminalText } from "../parts/text.tsx";
import { Ago, Asked } from "./ago.tsx";
import { Changes } from "./changes.tsx";
import { Decision } from "./decision.tsx";
import { NewerChanges } from "./newer.tsx";
import { nameOf, usePaneOf } from "./use.ts";
import { AgentTile } from "../parts/tile.tsx";

/** So long a card that was marked stands as it did, after the last touch. */
const FOLD_MS = 1000;

/** One agent: what changed, what it asks, and the mark in the same corner of every card. */
export const ReviewCard = memo(function ReviewCard(props: {
  readonly workspace: Workspace;
  readonly card: Card;
  /** Its place among the others, for those who hear the list. */
  readonly place: string;
}): JSX.Element {
  const { workspace, card, place } = props;
  const { agent } = card.latest ?? card.drawn;
  const element = useRef<HTMLElement>(null);
  const titleId = useId();
  const mark = workspace.marks.of(card.agentId).value;
  const decisions = workspace.board.decisions(card).filter(({ isOpen }) => isOpen);
  const isQuiet = mark?.step === "reviewed" && decisions.length === 0 && newer(card) === 0;
  const isFolded = useFolded(isQuiet);
  if (isFolded && mark?.step === "reviewed") return <Folded agent={agent} at={mark.at} />;
  return (
    <article ref={element} class="card" aria-labelledby={titleId} data-agent={card.agentId}>
      <CardHeader {...{ agent, titleId, place }} headingLevel={3}>
        <CardTime card={card} />
      </CardHeader>
      <CardBody workspace={workspace} card={card} element={element} />
      <NewerChanges workspace={workspace} card={card} />
      <MarkRow workspace={workspace} card={card} mark={mark} />
    </article>
  );
});

/** Folded away only when no hand is near: a card that shrinks moves all below it. */
function useFolded(isQuiet: boolean): boolean {
  const { touch, clock } = useBrowser();
  const wasFolded = useRef(false);
  if (!isQuiet) wasFolded.current = false;
  // Looked at with every second, by the few cards that are about to fold.
  else if (!wasFolded.current && clock.now.value > 0 && touch.untouchedMs() >= FOLD_MS)
    wasFolded.current = true;
  return wasFolded.current;
}

function CardBody(props: {
  readonly workspace: Workspace;
  readonly card: Card;
  readonly element: { readonly current: HTMLElement | null };
}): JSX.Element {
  const { workspace, card, element } = props;
  const { drawn } = card;
  const { agent } = card.latest ?? drawn;
  return (
    <>
      <CardNotes card={card} />
      {drawn.attention_reasons.includes("agent_error") && <FailedExcerpt agent={agent} />}
      <Changes changes={drawn.changes} />
      {workspace.board.decisions(card).map(({ decision, isOpen }) => (
        <Decision
          key={decision.id}
          {...{ workspace, agent, decision, isOpen }}
          card={element}
          headingLevel={3}
        />
      ))}
    </>
  );
}

/** The lines that tell of the fault, while its pane shows them. */
function FailedExcerpt({ agent }: { readonly agent: SeenAgent }): JSX.Element | null {
  const pane = usePaneOf(agent);
  return pane !== null && failed(pane) ? <Excerpt pane={pane} /> : null;
}

export function CardHeader(props: {
  readonly agent: SeenAgent;
  readonly titleId: string;
  readonly headingLevel: 2 | 3;
  /** Its place among the others, for those who hear the list. */
  readonly place?: string;
  /** Its time, at the end of the line. */
  readonly children: ComponentChildren;
}): JSX.Element {
  const { agent, titleId, headingLevel, place, children } = props;
  const { router } = useBrowser();
  const { config } = useServer();
  const pane = usePaneOf(agent);
  const Heading = `h${headingLevel}` as const;
  return (
    <header class="card-header">
      <AgentTile agent={agent} />
      <Heading class="grow">
        <button type="button" class="card-title" onClick={() => router.go(agentHash(agent.id))}>
          {place !== undefined && <span class="visually-hidden">{place}, </span>}
          <span class="name truncate" id={titleId}>
            <TerminalText text={nameOf(agent, pane)} />
          </span>
          <span class="where truncate">
            {pane === null ? (
              <TerminalText text={config.labels.value[agent.runtime] ?? agent.runtime} />
            ) : (
              <Place pane={pane} />
            )}
          </span>
        </button>
      </Heading>
      {children}
    </header>
  );
}

/** How long the oldest decision waits, or how old the news are. */
export function CardTime({ card }: { readonly card: Card }): JSX.Element | null {
  const group = card.latest ?? card.drawn;
  const asked = group.oldest_pending_decision_at;
  if (asked !== null) return <Asked at={asked} />;
  return <Ago at={group.as_of_snapshot_at} class="wait idle" />;
}

/** What a person should know before trusting what is said. */
export function CardNotes({ card: { drawn } }: { readonly card: Card }): JSX.Element | null {
  const { config } = useServer();
  const days = config.current.value?._info.capabilities.agent_context_v1.retention_days ?? 0;
  const isDegraded = drawn.attention_reasons.includes("extraction_degraded");
  if (!drawn.history_truncated && !isDegraded) return null;
  const from = drawn.reviewed_snapshot_at ?? drawn.reviewed_at ?? drawn.as_of_snapshot_at ?? 0;
  return (
    <>
      {drawn.history_truncated && (
        <p class="fine">
          <Icon name="clock" class="small" />
          {words.truncated(days, timeOfDay(from))}
        </p>
      )}
      {isDegraded && (
        <p class="fine stale">
          <Icon name="info" class="small" />
          {words.degraded}
        </p>
      )}
    </>
  );
}

/** Since when the changes count, and the mark that ends it. */
export function MarkRow(props: {
  readonly workspace: Workspace;
  readonly card: Card;
  readonly mark: Mark | null;
  /** Its heading says since when. */
  readonly isHeaded?: boolean;
}): JSX.Element | null {
  const { workspace, card, mark, isHeaded = false } = props;
  const { drawn } = card;
  if (!isMarkable(card) && mark === null) return null;
  const at = drawn.reviewed_snapshot_at ?? drawn.reviewed_at;
  const isFirst = mark?.step === "reviewed" && workspace.marks.count.value === 1;
  return (
    <>
      {mark?.step === "failed" && (
        <Notice icon="warning" tone="error" title={words.notMarked} isAlert>
          {words.notMarkedText}
        </Notice>
      )}
      <div class="mark-row">
        {!isHeaded && (
          <span class="grow">{at === null ? words.firstLook : words.since(timeOfDay(at))}</span>
        )}
        <MarkButton workspace={workspace} card={card} mark={mark} />
      </div>
      {isFirst && <p class="hint">{words.markedOnce(timeOfDay(mark.at))}</p>}
    </>
  );
}

function MarkButton(props: {
  readonly workspace: Workspace;
  readonly card: Card;
  readonly mark: Mark | null;
}): JSX.Element {
  const { workspace, card, mark: state } = props;
  const { layout } = useBrowser();
  const step = state?.step ?? null;
  const mark = async (button: HTMLElement) => {
    const article = button.closest("article");
    const titles = [...document.querySelectorAll<HTMLElement>("article .card-title")];
    const own = titles.findIndex((title) => article?.contains(title));
    const hasFocus = () => article?.contains(document.activeElement) === true;
    const hadFocus = hasFocus();
    if (!(await workspace.marks.mark(card.drawn))) return;
    // Who marks by keys or by ear goes on with the next: the button that had the focus is off now.
    const isHere = hasFocus() || document.activeElement === document.body;
    if (own >= 0 && hadFocus && isHere) titles[own + 1]?.focus({ preventScroll: true });
  };
  const label =
    step === "marking" ? words.marking : step === "reviewed" ? words.marked : words.mark;
  return (
    <Button
      class={step === "reviewed" ? "marked" : ""}
      disabled={step === "marking" || step === "reviewed" || workspace.isDown.value}
      data-mark
      onClick={({ currentTarget }) => void mark(currentTarget)}
    >
      <Icon name="check" />
      {label}
      {layout.columns.value === 3 && step === null && <KeyCaps keys="m" />}
    </Button>
  );
}

function Folded(props: { readonly agent: SeenAgent; readonly at: number }): JSX.Element {
  const { agent, at } = props;
  const pane = usePaneOf(agent);
  return (
    <p class="folded">
      <Icon name="check" class="small ticked" />
      <span class="grow">
        <b>
          <TerminalText text={nameOf(agent, pane)} />
        </b>{" "}
        {words.reviewedUpTo(timeOfDay(at))}
      </span>
    </p>
  );
}
