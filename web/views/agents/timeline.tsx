import type { JSX } from "preact";
import { useMemo, useState } from "preact/hooks";
import type {
  SeenAgent,
  SeenDecision,
  SeenTimelineEvent,
} from "../../../src/protocol/tolerant-agents.ts";
import {
  daysBetween,
  daysOf,
  linesOf,
  newestReviewed,
  timeOf,
  TIMELINE_FILTERS,
  waitingEvents,
  type Item,
  type Line,
  type StepKind,
  type TimelineFilter,
} from "../../model/timeline.ts";
import { agentHash } from "../../state/browser/router.ts";
import type { AgentState } from "../../state/server/agents/agent.ts";
import type { Workspace } from "../../state/server/agents/workspace.ts";
import { Chips } from "../../ui/chips.tsx";
import { Empty } from "../../ui/empty.tsx";
import { Icon, StatusIcon, type IconName, type StatusShape } from "../../ui/icons.tsx";
import { memo } from "../../ui/memo.tsx";
import { Section } from "../../ui/section.tsx";
import { agents as words, dayText } from "../../words/agents.ts";
import { timeOfDay } from "../../words/common.ts";
import { useToday } from "../parts/derived.ts";
import { InnerLink } from "../parts/inner-link.tsx";
import { Skeletons } from "../parts/skeletons.tsx";
import { TerminalText } from "../parts/text.tsx";
import { nameOf, usePaneOf, useWatch, useWorkspace } from "./use.ts";
import { ListNotice, OlderButton } from "./list.tsx";
import { apart } from "../parts/apart.tsx";

/** What happened in one agent's work; `filter` is what it begins with. */
export function AgentTimeline(props: {
  readonly workspace: Workspace;
  readonly state: AgentState;
  readonly agent: SeenAgent;
  readonly filter: TimelineFilter | null;
}): JSX.Element {
  const { workspace, state, agent, filter } = props;
  const { timeline, decisions } = state;
  useWatch(timeline);
  // They know what was chosen.
  useWatch(decisions);
  const drawn = workspace.board.card(agent.id)?.drawn ?? null;
  const at = drawn?.reviewed_snapshot_at ?? null;
  const reviewed =
    drawn === null || at === null ? null : { sequence: drawn.reviewed_snapshot_sequence, at };
  return (
    <>
      <ListNotice list={timeline} isDown={workspace.isDown.value} />
      <Events
        {...{ workspace, filter, reviewed }}
        events={timeline.items.value}
        hasFailed={timeline.failure.value !== null}
        isMixed={false}
      />
      <OlderButton list={timeline} />
    </>
  );
}

/** What happened in the work of all agents, the name of each first. */
export function WholeTimeline(): JSX.Element {
  const workspace = useWorkspace();
  useWatch(workspace?.timeline ?? null);
  useWatch(workspace?.decisions ?? null);
  // Only the list of agents knows their names.
  useWatch(workspace?.agents ?? null);
  if (workspace === null) return <Skeletons />;
  const { timeline, isDown } = workspace;
  return (
    <>
      <ListNotice list={timeline} isDown={isDown.value} />
      <Events
        workspace={workspace}
        events={timeline.items.value}
        hasFailed={timeline.failure.value !== null}
        isMixed
        filter={null}
        reviewed={null}
      />
      <OlderButton list={timeline} />
    </>
  );
}

const ICONS: Readonly<Record<TimelineFilter, IconName>> = {
  decisions: "decided",
  done: "check",
  blockers: "blocked",
  goals: "goal",
};
// The keys of a literal object are its filters and nothing else.
const FILTERS = Object.keys(TIMELINE_FILTERS) as TimelineFilter[];

function Events(props: {
  readonly workspace: Workspace;
  readonly events: readonly SeenTimelineEvent[] | null;
  readonly hasFailed: boolean;
  /** Lines of many agents stand together: each says whose it is. */
  readonly isMixed: boolean;
  readonly filter: TimelineFilter | null;
  /** How far one agent was reviewed; the time in epoch seconds. */
  readonly reviewed: { readonly sequence: number; readonly at: number } | null;
}): JSX.Element | null {
  const { workspace, events, hasFailed, isMixed, reviewed } = props;
  const today = useToday();
  const [filter, setFilter] = useState(props.filter);
  const waiting = waitingEvents(
    events ?? [],
    (id) => workspace.known(id)?.pending_decisions_count ?? null,
  );
  const waits = [...waiting].join(" ");
  const lines = useMemo(() => linesOf(events ?? [], waiting, filter), [events, waits, filter]);
  if (events === null) return hasFailed ? null : <Skeletons />;
  if (events.length === 0)
    return <Empty title={words.timelineEmptyTitle} text={words.timelineEmptyText} />;
  const covered = reviewed === null ? null : newestReviewed(lines, reviewed.sequence);
  return (
    <>
      <Chips
        label={words.filter}
        all={{ label: words.everything }}
        chips={FILTERS.map((value) => ({
          value,
          label: words.filters[value],
          mark: <Icon name={ICONS[value]} class="small" />,
        }))}
        chosen={filter}
        onChoose={setFilter}
      />
      {lines.length === 0 && <Empty title={words.noMatch} isStatus />}
      {daysOf(lines).map((day) => (
        <Section key={day.lines[0]?.key} title={dayText(day.at, daysBetween(day.at, today))}>
          <ol class="timeline">
            {day.lines.map((line) => (
              <TimelineLine
                key={line.key}
                {...{ workspace, line, isMixed }}
                rule={line === covered ? (reviewed?.at ?? null) : null}
              />
            ))}
          </ol>
        </Section>
      ))}
    </>
  );
}

type Mark = { readonly status: StatusShape } | { readonly icon: IconName };

/** The shape of a line; its words say the same. Amber is only what still waits. */
const MARKS: Readonly<Record<StepKind, Mark>> = {
  waits: { status: "needs_input" },
  asked: { icon: "decided" },
  decided: { icon: "decided" },
  done: { status: "ok" },
  blocked: { icon: "blocked" },
  unblocked: { status: "ok" },
  goal: { icon: "goal" },
  task: { icon: "goal" },
  next: { icon: "next" },
  finished: { status: "finished" },
  failed: { status: "error" },
  activity: { status: "idle" },
};

const DrawnLine = memo(function TimelineLine(props: {
  readonly workspace: Workspace;
  readonly line: Line;
  readonly isMixed: boolean;
  /** What stands above was not reviewed, this was: up to this time. */
  readonly rule: number | null;
}): JSX.Element {
  const { workspace, line, isMixed, rule } = props;
  const { event, kind } = line;
  const mark = MARKS[kind];
  const { said, text } = sayingOf(line, (id) => workspace.tables.decisions.get(id).value);
  return (
    <>
      {rule !== null && <li class="timeline-rule">{words.reviewedHere(timeOfDay(rule))}</li>}
      <li data-kind={kind}>
        <time class="numbers">{timeOfDay(timeOf(event))}</time>
        <span class="step-mark">
          {"status" in mark ? <StatusIcon shape={mark.status} /> : <Icon name={mark.icon} />}
        </span>
        <div>
          <p class="event-title">
            {isMixed && <Whose agent={workspace.known(event.agent_id)} id={event.agent_id} />}
            <TerminalText text={said} />
          </p>
          {text !== "" && <Text text={text} isCut={isMixed} />}
        </div>
      </li>
    </>
  );
});

const TimelineLine = apart("li", DrawnLine);

/** What happened in a few words, and what it was about; of a decision first what was decided. */
function sayingOf(
  { kind, items, folded }: Line,
  decisionOf: (id: string) => SeenDecision | null,
): { readonly said: string; readonly text: string } {
  if (kind === "activity") return { said: words.steps.activity(folded), text: "" };
  const outcomeOf = ({ id }: Item) => (kind === "decided" ? outcome(decisionOf(id)) : null);
  const [first, ...others] = items;
  const only = first === undefined || others.length > 0 ? null : outcomeOf(first);
  if (only !== null) return { said: only, text: first?.title ?? "" };
  const texts = items.map((item) => [item.title, outcomeOf(item)].filter(Boolean).join(": "));
  return { said: words.steps[kind](items.length), text: texts.join(" · ") };
}

/** What a decision ended with; null where nobody knows. */
function outcome(decision: SeenDecision | null): string | null {
  if (decision === null) return null;
  const chosen = decision.options.find(({ id }) => id === decision.selected_option_id);
  if (chosen !== undefined) return words.decided(chosen.label);
  if (decision.status === "superseded") return words.superseded;
  return decision.status === "resolved" ? words.inTerminal : null;
}

/** Longer texts are cut at the end of the line, and shown whole on a tap. */
const LONG = 40;

function Text(props: {
  readonly text: string;
  /** The line leads to where it is whole. */
  readonly isCut: boolean;
}): JSX.Element {
  const { text, isCut } = props;
  const [isOpen, setOpen] = useState(false);
  if (isCut || text.length <= LONG)
    return (
      <p class={`event-text ${isCut ? "truncate" : ""}`}>
        <TerminalText text={text} />
      </p>
    );
  return (
    <button
      type="button"
      class={`event-text ${isOpen ? "" : "truncate"}`}
      aria-expanded={isOpen}
      onClick={() => setOpen(!isOpen)}
    >
      <TerminalText text={text} />
    </button>
  );
}

/** Whose line it is; the name leads there. */
function Whose({ agent, id }: { readonly agent: SeenAgent | null; readonly id: string }) {
  const pane = usePaneOf(agent);
  return (
    <>
      <InnerLink class="event-agent" hash={agentHash(id, "timeline")}>
        {agent === null ? words.agent : <TerminalText text={nameOf(agent, pane)} />}
      </InnerLink>
      {" · "}
    </>
  );
}
