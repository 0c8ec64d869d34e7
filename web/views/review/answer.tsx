import type { JSX } from "preact";
import { useRef } from "preact/hooks";
import type { Card } from "../../model/review/cards.ts";
import type { Workspace } from "../../state/server/agents/workspace.ts";
import { useBrowser } from "../../state/client.ts";
import { StatusIcon } from "../../ui/icons.tsx";
import { common, waitText } from "../../words/common.ts";
import { desk as words } from "../../words/review.ts";
import { Facts } from "../agents/now.tsx";
import { Decision } from "./decision.tsx";
import { CardFoot } from "./foot.tsx";
import { useWorkspace } from "./use.ts";
import { KeyCaps } from "../parts/key-caps.tsx";

/** The third column of the review: what the chosen card asks, what is known of its work, and the mark. */
export function ReviewInspector(): JSX.Element {
  const workspace = useWorkspace();
  const card = workspace?.chosen.card.value ?? null;
  return (
    <aside class="column answer-column" aria-label={words.answer}>
      {workspace !== null && card !== null && (
        <>
          <div class="inspector scroll" tabIndex={0} role="region" aria-label={words.context}>
            <Answer key={card.agentId} workspace={workspace} card={card} isDocked={false} />
            <Facts agent={(card.latest ?? card.drawn).agent} isBrief />
          </div>
          <CardFoot key={card.agentId} workspace={workspace} card={card} />
        </>
      )}
    </aside>
  );
}

/** What the card asks, with its answers: in a column of its own, or docked below the changes. */
export function Answer(props: {
  readonly workspace: Workspace;
  readonly card: Card;
  readonly isDocked: boolean;
}): JSX.Element | null {
  const { workspace, card, isDocked } = props;
  const element = useRef<HTMLElement>(null);
  const decisions = workspace.board.decisions(card);
  if (decisions.length === 0) return null;
  const { agent } = card.latest ?? card.drawn;
  const asked = decisions.map(({ decision, isOpen }) => (
    <Decision
      key={decision.id}
      {...{ workspace, agent, decision, isOpen }}
      card={element}
      headingLevel={2}
    />
  ));
  return (
    <section
      ref={element}
      class={isDocked ? "docked" : "card inspector-prompt"}
      aria-label={words.answer}
      data-agent={card.agentId}
    >
      {isDocked ? <div class="docked-body scroll">{asked}</div> : <Asked card={card} />}
      {!isDocked && asked}
    </section>
  );
}

/** How long it waits, and how it is answered by keys. */
function Asked({ card }: { readonly card: Card }): JSX.Element {
  const { clock } = useBrowser();
  const since = (card.latest ?? card.drawn).oldest_pending_decision_at;
  return (
    <header class="prompt-header">
      {since !== null && (
        <span class="wait needs_input">
          <StatusIcon shape="needs_input" label={common.status.needs_input} />
          <span class="numbers">{words.waits(waitText(clock.now.value - since))}</span>
        </span>
      )}
      <span class="grow" />
      {since !== null && (
        <span class="hint">
          {words.pressNumber} <KeyCaps keys="Enter" />
        </span>
      )}
    </header>
  );
}
