import type { ComponentChildren, JSX } from "preact";
import { useEffect } from "preact/hooks";
import { inPlace, isMarkable, sectionsOf, type Card } from "../../model/review/cards.ts";
import type { Workspace } from "../../state/server/agents/workspace.ts";
import { useBrowser } from "../../state/client.ts";
import { Button } from "../../ui/button.tsx";
import { Icon } from "../../ui/icons.tsx";
import { common, timeOfDay } from "../../words/common.ts";
import { pass, plan, review as words } from "../../words/review.ts";
import { Notice } from "../../ui/notice.tsx";
import { Skeletons } from "../parts/skeletons.tsx";
import { ReviewCard } from "./card.tsx";
import { NothingChanged } from "./empty.tsx";
import { TerminalItems } from "./items.tsx";
import { useWatch, useWorkspace } from "./use.ts";

/** What changed since the last look, in the order in which it needs a person. */
export function ReviewList(): JSX.Element | null {
  const workspace = useWorkspace();
  const { router } = useBrowser();
  useWatch(workspace?.review ?? null);
  useEffect(() => {
    workspace?.board.enter(router.visit.peek());
  }, [workspace]);
  if (workspace === null) return null;
  const review = workspace.review.value.value;
  return (
    <>
      <ReviewNotice workspace={workspace} />
      {review === null && workspace.review.failure.value === null && <Skeletons />}
      {review !== null && <Filled workspace={workspace} />}
    </>
  );
}

/** It could not be read, or what is shown may be old. */
export function ReviewNotice({ workspace }: { readonly workspace: Workspace }): JSX.Element | null {
  const { review, isDown } = workspace;
  const { clock } = useBrowser();
  const failure = review.failure.value;
  const shown = review.value.value;
  const retry = (
    <div class="actions">
      <Button onClick={() => void review.reload()}>{common.retry}</Button>
    </div>
  );
  if (shown === null && failure !== null)
    return (
      <Boxed>
        <Notice icon="warning" tone="error" title={words.notLoaded} isAlert>
          {words.notLoadedText}
          {retry}
        </Notice>
      </Boxed>
    );
  if (shown === null || (failure === null && !isDown.value)) return null;
  return (
    <Boxed>
      <Notice
        icon="clock"
        tone="stale"
        title={words.notUpdated(timeOfDay(Math.min(shown.generated_at, clock.now.value)))}
      >
        {words.staleText}
        {retry}
      </Notice>
    </Boxed>
  );
}

const Boxed = ({ children }: { readonly children: ComponentChildren }): JSX.Element => (
  <div class="boxed-notice">{children}</div>
);

function Filled({ workspace }: { readonly workspace: Workspace }): JSX.Element {
  const cards = workspace.board.cards.value;
  const items = workspace.review.value.value?.terminal_items ?? [];
  if (cards.length === 0 && items.length === 0) return <NothingChanged workspace={workspace} />;
  const order = inPlace(cards);
  const placeOf = (card: Card) => pass.at(order.indexOf(card) + 1, order.length);
  return (
    <>
      <Summary workspace={workspace} />
      {sectionsOf(cards).map(({ section, cards: below }) => (
        <section key={section}>
          <h2 class="section">
            {words.sections[section]}
            <span class="section-count numbers">{below.length}</span>
          </h2>
          {below.map((card) => (
            <ReviewCard
              key={card.agentId}
              workspace={workspace}
              card={card}
              place={placeOf(card)}
            />
          ))}
        </section>
      ))}
      <TerminalItems items={items} />
      <MarkAll workspace={workspace} cards={cards} />
    </>
  );
}

/** Takes what stands on the cards, and nothing that has come since they were drawn. */
function MarkAll(props: {
  readonly workspace: Workspace;
  readonly cards: readonly Card[];
}): JSX.Element | null {
  const { marks, isDown } = props.workspace;
  const isOpen = (card: Card) => {
    const step = marks.of(card.agentId).value?.step ?? null;
    return isMarkable(card) && step !== "reviewed" && step !== "marking";
  };
  const open = props.cards.filter(isOpen).map(({ drawn }) => drawn);
  if (open.length < 2) return null;
  return (
    <div class="actions">
      <Button disabled={isDown.value} onClick={() => void marks.markAll(open)}>
        <Icon name="check" />
        {words.markAll(open.length)}
      </Button>
    </div>
  );
}

/** Below the list, where the thumb is: one card after another, or answers that are chosen first. */
export function ReviewActions(): JSX.Element | null {
  const workspace = useWorkspace();
  const { layout, router } = useBrowser();
  if (workspace === null) return null;
  const { agents, decisions } = workspace.board.totals.value;
  // Beside the list the chosen card has what going through needs.
  const goesThrough = layout.columns.value === 1;
  if (agents === 0 || (decisions === 0 && !goesThrough)) return null;
  const begin = () => {
    workspace.goingThrough.begin();
    router.goReview("one");
  };
  return (
    <div class="action-bar">
      {decisions > 0 && (
        <Button onClick={() => router.goReview("plan")}>
          {plan.plan} <span class="numbers">{decisions}</span>
        </Button>
      )}
      {goesThrough && (
        <Button tone="primary" onClick={begin}>
          {pass.goThrough} <span class="numbers">{agents}</span>
        </Button>
      )}
    </div>
  );
}

export function Summary({ workspace }: { readonly workspace: Workspace }): JSX.Element {
  return (
    <p class="summary review-summary numbers">
      <span class="grow">{words.summary(workspace.board.totals.value)}</span>
      <WindowButton workspace={workspace} />
    </p>
  );
}

/** When the next window is, and the way to its settings. */
export function WindowButton({ workspace }: { readonly workspace: Workspace }): JSX.Element | null {
  const { router } = useBrowser();
  const review = workspace.review.value.value;
  if (review === null) return null;
  const { due, settings } = review;
  const next = settings.next_due_at;
  const text = due.is_due
    ? words.dueNow
    : settings.enabled && next !== null
      ? words.dueAt(timeOfDay(next))
      : words.settings;
  return (
    <button type="button" class="window" onClick={() => router.show("settings-review")}>
      {text}
      <Icon name="next" class="small" />
    </button>
  );
}
