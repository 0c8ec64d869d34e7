import type { JSX } from "preact";
import { useId } from "preact/hooks";
import type { SeenAgent } from "../../../src/protocol/tolerant-agents.ts";
import { agentOf, type Section, type Slot } from "../../model/queue/order.ts";
import { isMarkable, type Card } from "../../model/queue/cards.ts";
import { agentHash } from "../../state/browser/router.ts";
import { useBrowser, useServer } from "../../state/client.ts";
import { Button, IconButton } from "../../ui/button.tsx";
import { Icon } from "../../ui/icons.tsx";
import { Notice } from "../../ui/notice.tsx";
import { timeOfDay, count } from "../../words/common.ts";
import { review } from "../../words/review.ts";
import { more } from "../more.tsx";
import { KeyCaps } from "../parts/key-caps.tsx";
import { TerminalText } from "../parts/text.tsx";
import { AgentTile } from "../parts/tile.tsx";
import { Ago, Asked } from "../parts/ago.tsx";
import { Changes } from "./changes.tsx";
import { Unshown } from "../answer/unshown.tsx";
import { NewerChanges } from "./newer.tsx";
import { usePane } from "../parts/derived.ts";
import { nameOf, useWorkspace } from "../agents/use.ts";
import { useAgentCard } from "./agent-card.ts";
import { CardFoot, Urgent } from "./card.tsx";
import { giveFocus } from "../../ui/focus.ts";

/** What an agent works for, and what changed since it was last looked at. */
export function AgentNews(props: {
  readonly agentId: string;
  readonly isWhole?: boolean;
}): JSX.Element | null {
  const { agentId, isWhole = false } = props;
  const known = useAgentCard(agentId);
  if (known === null) return null;
  const { workspace, card } = known;
  const { goal } = (card.latest ?? card.drawn).agent.context;
  // A new one stands among what changed.
  const isNew = goal === card.drawn.changes.goal_changed?.to;
  return (
    <>
      {goal !== null && !isNew && (
        <p class="pass-goal">
          <span class="visually-hidden">{"Goal"}: </span>
          <TerminalText text={goal} />
        </p>
      )}
      <CardNotes card={card} />
      <Changes changes={card.drawn.changes} isWhole={isWhole} />
      <NewerChanges workspace={workspace} card={card} />
    </>
  );
}

/** What an agent asks, as far as its screen does not show it. */
export function AgentAsks(props: {
  readonly agentId: string;
  /** What its screen asks, where that stands above. */
  readonly asked: string | null;
}): JSX.Element | null {
  const latest = useAgentCard(props.agentId)?.card.latest ?? null;
  if (latest === null) return null;
  return <Unshown open={latest.decisions} asked={props.asked} paneId={latest.agent.pane_id} />;
}

/** An agent that no pane is known of for certain: its card stands on what its log tells. */
export function AgentCard(props: {
  readonly slot: Slot;
  readonly section: Section;
}): JSX.Element | null {
  const { slot, section } = props;
  const titleId = useId();
  const agentId = agentOf(slot.key) ?? "";
  const known = useAgentCard(agentId);
  if (known === null) return null;
  const { agent } = known.card.latest ?? known.card.drawn;
  const isOver = slot.leftAt !== null && (section === "waiting" || section === "errors");
  return (
    <article class="card" aria-labelledby={titleId} data-card={slot.key} data-agent={agentId}>
      <AgentHeader agent={agent} titleId={titleId}>
        <Age slot={slot} card={known.card} />
      </AgentHeader>
      {section === "blocked" && <more.ParkedAgent agent={agent} />}
      {!isOver && <AgentNews agentId={agentId} />}
      <AgentAsks agentId={agentId} asked={null} />
      {!isOver && <CardFoot slot={slot} section={section} />}
    </article>
  );
}

/** How long the oldest question waits, or how old the news are. */
export function Age({ slot, card }: { readonly slot: Slot; readonly card: Card }): JSX.Element {
  const { queue } = useServer();
  const entry = queue.entry(slot.key);
  const { agent } = card.latest ?? card.drawn;
  if (entry === null) return <span class="wait idle">No longer waiting</span>;
  return (
    <>
      <Urgent entryKey={slot.key} />
      {entry.section === "waiting" ? (
        <Asked at={entry.since} />
      ) : (
        <Ago at={entry.since} class={`wait ${agent.lifecycle === "error" ? "error" : "idle"}`} />
      )}
    </>
  );
}

export function AgentHeader(props: {
  readonly agent: SeenAgent;
  readonly titleId: string;
  /** Its time, at the end of the line. */
  readonly children: JSX.Element;
}): JSX.Element {
  const { agent, titleId, children } = props;
  const { router } = useBrowser();
  const { config } = useServer();
  return (
    <header class="card-header">
      <AgentTile agent={agent} />
      <h2 class="grow">
        <button type="button" class="card-title" onClick={() => router.go(agentHash(agent.id))}>
          <span class="name truncate" id={titleId}>
            <TerminalText text={nameOf(agent, null)} />
          </span>
          <span class="where truncate">
            <TerminalText text={config.labels.value[agent.runtime] ?? agent.runtime} />
          </span>
        </button>
      </h2>
      {children}
    </header>
  );
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
          {`Your last look is older than what is kept (${count(days, "day", "days")}). This counts from ${timeOfDay(from)}.`}
        </p>
      )}
      {isDegraded && (
        <p class="fine stale">
          <Icon name="info" class="small" />
          Parts of its log could not be read, so something may be missing.
        </p>
      )}
    </>
  );
}

/** Marks what is drawn of an agent as reviewed; one that waits goes on waiting. */
export function AgentMark({ agentId }: { readonly agentId: string }): JSX.Element | null {
  const known = useAgentCard(agentId);
  const { layout } = useBrowser();
  if (known === null) return null;
  const { workspace, card } = known;
  const step = workspace.marks.of(agentId).value?.step ?? null;
  if (!isMarkable(card) && step === null) return null;
  const mark = async (button: HTMLElement) => {
    const article = button.closest("article");
    const titles = [...document.querySelectorAll<HTMLElement>("article .card-title")];
    const own = titles.findIndex((title) => article?.contains(title));
    const hadFocus = article?.contains(document.activeElement) === true;
    if (!(await workspace.marks.mark(card.drawn))) return;
    // Who marks by keys or by ear goes on with the next: the button that had the focus is off now.
    if (own >= 0 && hadFocus) giveFocus(titles[own + 1], article);
  };
  return (
    <>
      {step === "failed" && (
        <Notice icon="warning" tone="error" title="Not marked" isAlert>
          {review.notMarkedText}
        </Notice>
      )}
      <Button
        tone="plain"
        class={step === "reviewed" ? "marked" : ""}
        disabled={step === "marking" || step === "reviewed" || workspace.isDown.value}
        data-mark
        onClick={({ currentTarget }) => void mark(currentTarget)}
      >
        <Icon name="check" />
        {step === "marking" ? "Marking" : "Reviewed"}
        {layout.columns.value === 3 && step === null && <KeyCaps keys="m" />}
      </Button>
    </>
  );
}

/** At the end of a row of what is finished: one tap, and it goes. */
export function AgentTick({ paneId }: { readonly paneId: string }): JSX.Element | null {
  const known = useAgentCard(usePane(paneId).value?.agent_id ?? null);
  if (known === null || !isMarkable(known.card)) return null;
  const { workspace, card } = known;
  const step = workspace.marks.of(card.agentId).value?.step;
  return (
    <IconButton
      icon="check"
      class="row-tick"
      label={`Reviewed: ${nameOf(card.drawn.agent, null)}`}
      disabled={step === "marking" || step === "reviewed" || workspace.isDown.value}
      onClick={() => void workspace.marks.mark(card.drawn)}
    />
  );
}

/** Takes what stands in the rows, and nothing that has come since they were drawn. */
export function MarkFinished({ slots }: { readonly slots: readonly Slot[] }): JSX.Element | null {
  const workspace = useWorkspace();
  if (workspace === null) return null;
  const { board, marks, isDown } = workspace;
  const ids = new Set(slots.map(({ key }) => agentOf(key)));
  const open = board.cards.value.filter((card) => ids.has(card.agentId) && isMarkable(card));
  if (open.length < 2) return null;
  return (
    <div class="actions">
      <Button
        tone="plain"
        disabled={isDown.value}
        onClick={() => void marks.markAll(open.map(({ drawn }) => drawn))}
      >
        <Icon name="check" />
        All reviewed
      </Button>
    </div>
  );
}
