import type { JSX } from "preact";
import { aboutOf } from "../../model/about.ts";
import { waits, type Pane } from "../../model/pane.ts";
import { briefOf, shapeOf, type Brief } from "../../model/review/brief.ts";
import type { Card } from "../../model/review/cards.ts";
import type { Workspace } from "../../state/server/agents/workspace.ts";
import { Icon, type IconName } from "../../ui/icons.tsx";
import { desk as words } from "../../words/review.ts";
import { TerminalText } from "../parts/text.tsx";
import { Ago } from "./ago.tsx";
import { nameOf, usePaneOf } from "./use.ts";
import { AgentTile } from "../parts/tile.tsx";

/** A card in one row: who, since when, and what needs a person first. */
export function CardFace(props: {
  readonly workspace: Workspace;
  readonly card: Card;
}): JSX.Element {
  const { workspace, card } = props;
  const { agent } = card.latest ?? card.drawn;
  const pane = usePaneOf(agent);
  const shape = shapeOf(card);
  return (
    <>
      <AgentTile agent={agent} shape={shape} size="small" />
      <span class="grow row-text">
        <span class="row-first">
          <b class="truncate">
            <TerminalText text={nameOf(agent, pane)} />
          </b>
          <RowTime card={card} />
        </span>
        <span class="row-second truncate">
          <Second workspace={workspace} card={card} pane={pane} />
        </span>
      </span>
    </>
  );
}

/** How long the oldest decision waits, or how old the news are. */
function RowTime({ card }: { readonly card: Card }): JSX.Element {
  const group = card.latest ?? card.drawn;
  const shape = shapeOf(card);
  const since = group.oldest_pending_decision_at ?? group.as_of_snapshot_at;
  const tone = shape === "needs_input" || shape === "error" ? shape : "";
  return <Ago at={since} class={`row-time ${tone}`} />;
}

function Second(props: {
  readonly workspace: Workspace;
  readonly card: Card;
  readonly pane: Pane | null;
}): JSX.Element {
  const { workspace, card, pane } = props;
  const brief = briefOf(card);
  const isReviewed = workspace.marks.of(card.agentId).value?.step === "reviewed";
  // What its terminal asks now is what an answer goes to.
  if (brief.kind === "asks")
    return <TerminalText text={pane !== null && waits(pane) ? aboutOf(pane) : brief.question} />;
  if (isReviewed)
    return (
      <span class="row-fact done">
        <Icon name="check" class="small" />
        {words.rows.reviewed}
      </span>
    );
  if (brief.kind !== "changed") return <>{words.rows[brief.kind]}</>;
  const facts = factsOf(brief);
  if (facts.length === 0) return <>{words.rows.other}</>;
  return (
    <>
      {facts.map(({ kind, icon, text }) => (
        <span key={kind} class={`row-fact ${kind}`}>
          {icon !== null && <Icon name={icon} class="small" />}
          {text}
        </span>
      ))}
    </>
  );
}

interface Fact {
  readonly kind: "blocked" | "goal" | "unblocked" | "decided" | "done";
  readonly icon: IconName | null;
  readonly text: string;
}

/** What changed, in counts, what needs a person first. */
function factsOf(brief: Extract<Brief, { kind: "changed" }>): readonly Fact[] {
  const { hasNewGoal, blocked, unblocked, decided, done } = brief;
  const { rows } = words;
  const facts: readonly (Fact & { readonly isThere: boolean })[] = [
    { kind: "blocked", icon: "blocked", text: rows.blocked(blocked), isThere: blocked > 0 },
    { kind: "goal", icon: null, text: rows.newGoal, isThere: hasNewGoal },
    { kind: "decided", icon: null, text: rows.decided(decided), isThere: decided > 0 },
    { kind: "unblocked", icon: null, text: rows.unblocked(unblocked), isThere: unblocked > 0 },
    { kind: "done", icon: "check", text: rows.done(done), isThere: done > 0 },
  ];
  return facts.filter(({ isThere }) => isThere);
}
