import type { ComponentChildren, JSX } from "preact";
import { useId } from "preact/hooks";
import { enderOf, type Obstacle } from "../../model/review/decision.ts";
import type { PlanRow } from "../../state/server/agents/planned.ts";
import type { Workspace } from "../../state/server/agents/workspace.ts";
import { useBrowser } from "../../state/client.ts";
import { Button } from "../../ui/button.tsx";
import { Icon, StatusIcon } from "../../ui/icons.tsx";
import { memo } from "../../ui/memo.tsx";
import { common, timeOfDay } from "../../words/common.ts";
import { plan as words, review } from "../../words/review.ts";
import { Notice } from "../../ui/notice.tsx";
import { useDerived } from "../parts/derived.ts";
import { TerminalText } from "../parts/text.tsx";
import { Asked } from "./ago.tsx";
import { CardHeader } from "./card.tsx";
import { Description } from "./decision.tsx";
import { PlanOptions } from "./plan-options.tsx";
import { nameOf, useOwnWords, usePaneOf } from "./use.ts";

interface RowProps {
  readonly workspace: Workspace;
  readonly row: PlanRow;
}

/** One question whose answer can be planned, in a list of all of them. */
export const PlanCard = memo(function PlanCard({ workspace, row }: RowProps): JSX.Element {
  return (
    <PlanArticle row={row} time={<Asked at={row.decision.created_at} />}>
      <PlanQuestion workspace={workspace} row={row} headingLevel={3} />
    </PlanArticle>
  );
});

export function PlanQuestion(props: RowProps & { readonly headingLevel: 2 | 3 }): JSX.Element {
  const { workspace, row, headingLevel } = props;
  const { planned } = workspace;
  const { decision } = row;
  const { id } = decision;
  const ownWords = useOwnWords(workspace, row.agent, decision);
  const questionId = useId();
  const chosen = useDerived(() => planned.plan.value.choices[id]?.option_id ?? null, [planned, id]);
  const hasChanged = useDerived(() => planned.lost.value[id] === "changed", [planned, id]);
  const Heading = `h${headingLevel}` as const;
  return (
    <>
      {hasChanged && (
        <Notice icon="warning" tone="needs" title={words.changed} isAlert>
          {words.changedText}
        </Notice>
      )}
      <Heading class="question" id={questionId}>
        <TerminalText text={decision.title} />
      </Heading>
      <Description text={decision.description} />
      <PlanOptions
        decision={decision}
        chosen={chosen}
        questionId={questionId}
        ownWords={ownWords}
        onChoose={(optionId) => planned.choose(decision, optionId)}
      />
      <div class="plan-leave">
        {chosen === null ? (
          <span class="hint">{words.open}</span>
        ) : (
          <Button tone="plain" onClick={() => planned.choose(decision, null)}>
            {words.leaveOpen}
          </Button>
        )}
      </div>
    </>
  );
}

/** It was answered, or is asked no more. */
export function PlanEnded({ workspace, row }: RowProps): JSX.Element {
  return (
    <PlanArticle row={row}>
      <PlanEnd workspace={workspace} row={row} />
    </PlanArticle>
  );
}

export function PlanEnd({ workspace, row }: RowProps): JSX.Element {
  const decision = workspace.board.newest(row.decision);
  const ender = enderOf(decision, workspace.replies.of(decision.id).value);
  const said = ender === "elsewhere" ? words.answered : review.ended[ender];
  return (
    <p class="fine" role="status">
      <Icon name="info" class="small" />
      {said(timeOfDay(decision.updated_at))}
    </p>
  );
}

function PlanArticle(props: {
  readonly row: PlanRow;
  readonly time?: ComponentChildren;
  readonly children: ComponentChildren;
}): JSX.Element {
  const { row, time, children } = props;
  const titleId = useId();
  return (
    <article class="card" aria-labelledby={titleId} data-agent={row.agent.id}>
      <CardHeader agent={row.agent} titleId={titleId} headingLevel={2}>
        {time}
      </CardHeader>
      {children}
    </article>
  );
}

/** Questions that no plan can take, and why. */
export function PlanBlocked(props: {
  readonly workspace: Workspace;
  readonly rows: readonly PlanRow[];
}): JSX.Element | null {
  const { workspace, rows } = props;
  if (rows.length === 0) return null;
  return (
    <section>
      <h2 class="section">
        {words.notFromHere}
        <span class="section-count numbers">{rows.length}</span>
      </h2>
      <ul class="list">
        {rows.map((row) => (
          <li key={row.decision.id}>
            <Blocked row={row} why={workspace.planned.obstacle(row.agent, row.decision)} />
          </li>
        ))}
      </ul>
    </section>
  );
}

function Blocked(props: { readonly row: PlanRow; readonly why: Obstacle | null }): JSX.Element {
  const { row, why } = props;
  const { router } = useBrowser();
  const { agent } = row;
  const pane = usePaneOf(agent);
  const open = () => {
    if (agent.pane_id !== null) router.goPane(agent.pane_id);
  };
  return (
    <button type="button" class="row" data-row disabled={agent.pane_id === null} onClick={open}>
      <StatusIcon shape="stale" label={common.status.stale} />
      <span class="grow">
        <span class="name truncate">
          <TerminalText text={nameOf(agent, pane)} />
        </span>
        <span class="where">{words.blocked[why ?? "terminal"]}</span>
      </span>
      {agent.pane_id !== null && <Icon name="next" class="small" />}
    </button>
  );
}
