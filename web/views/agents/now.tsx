import type { ComponentChildren, JSX } from "preact";
import { useRef, useState } from "preact/hooks";
import { PROVENANCES } from "../../model/provenance.ts";
import { isOver } from "../../model/lifecycle.ts";
import type { SeenAgent, SeenContext } from "../../../src/protocol/tolerant-agents.ts";
import type { Card } from "../../model/review/cards.ts";
import type { AgentState } from "../../state/server/agents/agent.ts";
import type { Workspace } from "../../state/server/agents/workspace.ts";
import { useBrowser } from "../../state/client.ts";
import { Button } from "../../ui/button.tsx";
import { Icon, StatusIcon } from "../../ui/icons.tsx";
import { agents as words } from "../../words/agents.ts";
import { binding } from "../../words/binding.ts";
import { timeOfDay, waitText } from "../../words/common.ts";
import { useDerived } from "../parts/derived.ts";
import { Place, TerminalText } from "../parts/text.tsx";
import { Asked } from "../review/ago.tsx";
import { CardNotes, MarkRow } from "../review/card.tsx";
import { Changes } from "../review/changes.tsx";
import { Decision } from "../review/decision.tsx";
import { NewerChanges } from "../review/newer.tsx";
import { usePaneOf } from "../review/use.ts";
import { StandingNotice } from "./standing.tsx";
import { Progress } from "./progress.tsx";

const SHOWN_DONE = 2;

/** What it asks, what changed since the last review, and what is known of its work. */
export function AgentNow(props: {
  readonly workspace: Workspace;
  readonly state: AgentState;
  readonly agent: SeenAgent;
  /** Beside its terminal, or beside the prompt in it: what stands there is not said again. */
  readonly beside?: "pane" | "prompt";
}): JSX.Element {
  const { workspace, agent, beside } = props;
  const card = workspace.board.card(agent.id);
  return (
    <>
      {beside === undefined && <StandingNotice agent={agent} />}
      {card !== null && beside !== "prompt" && <Waits workspace={workspace} card={card} />}
      {card !== null && card.drawn.has_changes && <Since workspace={workspace} card={card} />}
      <Facts agent={agent} />
      {beside === undefined && <Bound agent={agent} />}
    </>
  );
}

function Waits({ workspace, card }: { readonly workspace: Workspace; readonly card: Card }) {
  const element = useRef<HTMLElement>(null);
  const decisions = workspace.board.decisions(card);
  if (decisions.length === 0) return null;
  const { agent, oldest_pending_decision_at: asked } = card.latest ?? card.drawn;
  return (
    <section class="panel" ref={element}>
      <h2 class="panel-title">
        {words.waits}
        {asked !== null && <Asked at={asked} />}
      </h2>
      {decisions.map(({ decision, isOpen }) => (
        <Decision
          key={decision.id}
          {...{ workspace, agent, decision, isOpen }}
          card={element}
          headingLevel={3}
        />
      ))}
    </section>
  );
}

function Since({ workspace, card }: { readonly workspace: Workspace; readonly card: Card }) {
  const { clock } = useBrowser();
  const at = card.drawn.reviewed_snapshot_at ?? card.drawn.reviewed_at;
  const ago = useDerived(() => waitText(clock.now.value - (at ?? 0)), [at]);
  return (
    <section class="panel" data-acts>
      <h2 class="panel-title">
        {words.since}
        <span class="panel-end numbers">
          {at === null ? words.firstLook : words.ago(timeOfDay(at), ago)}
        </span>
      </h2>
      <CardNotes card={card} />
      <Changes changes={card.drawn.changes} isWhole />
      <NewerChanges workspace={workspace} card={card} />
      <MarkRow workspace={workspace} card={card} mark={workspace.marks.of(card.agentId).value} />
    </section>
  );
}

/** Unknown is said as unknown: nothing is guessed from what is not there. */
export function Facts(props: {
  readonly agent: SeenAgent;
  /** Beside a card that says the rest. */
  readonly isBrief?: boolean;
}): JSX.Element {
  const { agent, isBrief = false } = props;
  const { context } = agent;
  const { progress } = context;
  // A plan that is known and blocked by nothing is another thing than no plan.
  const hasPlan = progress !== null || context.blockers.length > 0;
  return (
    <section class="panel">
      <div class="now-facts">
        <Fact title={words.goal} source={sourceOf(context, "goal")}>
          {said(context.goal)}
        </Fact>
        <Fact
          title={isOver(agent) ? words.lastTask : words.now}
          source={sourceOf(context, "current_task")}
        >
          {said(context.current_task)}
          {progress !== null && <Progress done={progress.completed} total={progress.total} />}
        </Fact>
        <Fact title={words.blocked} source={sourceOf(context, "blockers")}>
          {context.blockers.length > 0 ? (
            <ul class="changes">
              {context.blockers.map(({ id, title }) => (
                <li key={id} class="blocked">
                  <Icon name="blocked" class="small" />
                  <TerminalText text={title} />
                </li>
              ))}
            </ul>
          ) : (
            <p class="none">{hasPlan ? words.nothing : words.unknown}</p>
          )}
        </Fact>
        <Fact title={words.next} source={sourceOf(context, "next_action")}>
          {said(context.next_action)}
        </Fact>
        {!isBrief && (
          <Fact title={words.said} source="">
            {said(context.progress_summary)}
          </Fact>
        )}
        {!isBrief && <Done context={context} />}
      </div>
      {!isBrief && <p class="footnote">{words.footnote}</p>}
    </section>
  );
}

const said = (text: string | null): JSX.Element =>
  text === null ? (
    <p class="none">{words.unknown}</p>
  ) : (
    <p>
      <TerminalText text={text} />
    </p>
  );

type Told = "goal" | "current_task" | "next_action" | "blockers";

/** Which words of the agent's log a field was read from; empty where that, or the field, is not known. */
function sourceOf(context: SeenContext, field: Told): string {
  const { [field]: value, provenance } = context;
  if (value === null || value.length === 0) return "";
  const source = PROVENANCES.find((known) => known === provenance[field]);
  return source === undefined ? "" : words.sources[source];
}

function Fact(props: {
  readonly title: string;
  readonly source: string;
  readonly children: ComponentChildren;
}): JSX.Element {
  return (
    <>
      <h2>
        {props.title}
        {props.source !== "" && <span class="panel-end">{props.source}</span>}
      </h2>
      {props.children}
    </>
  );
}

function Done({ context }: { readonly context: SeenContext }): JSX.Element | null {
  const [isOpen, setOpen] = useState(false);
  const newest = context.completed_items.toReversed();
  const shown = isOpen ? newest : newest.slice(0, SHOWN_DONE);
  if (newest.length === 0) return null;
  return (
    <Fact title={words.done} source={String(newest.length)}>
      <ul class="changes">
        {shown.map(({ id, title }) => (
          <li key={id} class="done">
            <StatusIcon shape="ok" />
            <TerminalText text={title} />
          </li>
        ))}
        {newest.length > SHOWN_DONE && (
          <li class="changes-more">
            <Button tone="plain" aria-expanded={isOpen} onClick={() => setOpen(!isOpen)}>
              {isOpen ? words.fewer : words.more(newest.length - SHOWN_DONE)}
            </Button>
          </li>
        )}
      </ul>
    </Fact>
  );
}

/** Where its terminal is, once that is certain. */
function Bound({ agent }: { readonly agent: SeenAgent }): JSX.Element | null {
  const { router } = useBrowser();
  const pane = usePaneOf(agent);
  if (agent.association !== "confirmed") return null;
  if (pane === null) return <p class="bound">{binding.notListed}</p>;
  return (
    <div class="bound">
      <Icon name="link" class="small" />
      <span class="grow truncate">
        {words.itsPane} <Place pane={pane} />
      </span>
      <Button tone="plain" onClick={() => router.goPane(pane.id)}>
        {words.open}
      </Button>
    </div>
  );
}
