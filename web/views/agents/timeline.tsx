import type { JSX } from "preact";
import { useState } from "preact/hooks";
import type { SeenAgent, SeenTimelineEvent } from "../../../src/protocol/tolerant-agents.ts";
import {
  daysBetween,
  daysOf,
  isInFilter,
  newestReviewed,
  type Step,
  stepsOf,
  timeOf,
  type TimelineFilter,
  waitingEvents,
} from "../../model/timeline.ts";
import { agentHash } from "../../state/browser/router.ts";
import type { AgentState } from "../../state/server/agents/agent.ts";
import type { Workspace } from "../../state/server/agents/workspace.ts";
import { useToday } from "../parts/derived.ts";
import { agents as words, dayText } from "../../words/agents.ts";
import { timeOfDay } from "../../words/common.ts";
import { InnerLink } from "../parts/inner-link.tsx";
import { Skeletons } from "../parts/skeletons.tsx";
import { Place, TerminalText } from "../parts/text.tsx";
import { nameOf, useWatch, usePaneOf, useWorkspace } from "../review/use.ts";
import { ListNotice, OlderButton } from "./list.tsx";
import { Empty } from "./screen.tsx";
import { TimelineChips } from "./timeline-chips.tsx";
import { StepMark } from "./timeline-mark.tsx";

/** What happened in one session. */
export function AgentTimeline(props: {
  readonly workspace: Workspace;
  readonly state: AgentState;
  readonly agent: SeenAgent;
}): JSX.Element {
  const { workspace, state, agent } = props;
  const { timeline } = state;
  useWatch(timeline);
  const drawn = workspace.board.card(agent.id)?.drawn ?? null;
  return (
    <>
      <ListNotice list={timeline} isDown={workspace.isDown.value} />
      <Events
        events={timeline.items.value}
        hasFailed={timeline.failure.value !== null}
        agents={new Map([[agent.id, agent]])}
        isMixed={false}
        reviewed={
          drawn === null || drawn.reviewed_snapshot_at === null
            ? null
            : { sequence: drawn.reviewed_snapshot_sequence, at: drawn.reviewed_snapshot_at }
        }
      />
      <OlderButton list={timeline} />
    </>
  );
}

/** What happened in all of them, the name of each first. */
export function WholeTimeline(): JSX.Element {
  const workspace = useWorkspace();
  useWatch(workspace?.timeline ?? null);
  // Only the list of sessions knows their names.
  useWatch(workspace?.agents ?? null);
  if (workspace === null) return <Skeletons />;
  const { timeline, agents, isDown } = workspace;
  const named = new Map((agents.items.value ?? []).map((agent) => [agent.id, agent]));
  return (
    <>
      <ListNotice list={timeline} isDown={isDown.value} />
      <Events
        events={timeline.items.value}
        hasFailed={timeline.failure.value !== null}
        agents={named}
        isMixed
        reviewed={null}
      />
      <OlderButton list={timeline} />
    </>
  );
}

interface Reviewed {
  readonly sequence: number;
  /** Epoch seconds. */
  readonly at: number;
}

function Events(props: {
  readonly events: readonly SeenTimelineEvent[] | null;
  readonly hasFailed: boolean;
  readonly agents: ReadonlyMap<string, SeenAgent>;
  /** Events of many stand together: each says whose it is. */
  readonly isMixed: boolean;
  /** How far one session was reviewed. */
  readonly reviewed: Reviewed | null;
}): JSX.Element | null {
  const { events, hasFailed, agents, isMixed, reviewed } = props;
  const today = useToday();
  const [filter, setFilter] = useState<TimelineFilter | null>(null);
  if (events === null) return hasFailed ? null : <Skeletons />;
  if (events.length === 0)
    return <Empty title={words.timelineEmptyTitle} text={words.timelineEmptyText} />;
  const waiting = waitingEvents(events, (id) => agents.get(id)?.pending_decisions_count ?? null);
  const steps = new Map(events.map((event) => [event.id, stepsOf(event, waiting.has(event.id))]));
  const shown = events.filter(({ id }) => isInFilter(steps.get(id) ?? [], filter));
  const covered = reviewed === null ? null : newestReviewed(shown, reviewed.sequence);
  return (
    <>
      <TimelineChips chosen={filter} onChoose={setFilter} />
      {shown.length === 0 && (
        <div class="empty" role="status">
          <h2>{words.noMatch}</h2>
        </div>
      )}
      {daysOf(shown).map((day) => (
        <section key={day.events[0]?.id}>
          <h2 class="section">{dayText(day.at, daysBetween(day.at, today))}</h2>
          <ol class="timeline">
            {day.events.map((event) => (
              <Event
                key={event.id}
                event={event}
                steps={steps.get(event.id) ?? []}
                agent={agents.get(event.agent_id) ?? null}
                isMixed={isMixed}
                rule={event === covered ? (reviewed?.at ?? null) : null}
              />
            ))}
          </ol>
        </section>
      ))}
    </>
  );
}

function Event(props: {
  readonly event: SeenTimelineEvent;
  readonly steps: readonly Step[];
  readonly agent: SeenAgent | null;
  readonly isMixed: boolean;
  /** What stands above was not reviewed, this was: up to this time. */
  readonly rule: number | null;
}): JSX.Element | null {
  const { event, steps, agent, isMixed, rule } = props;
  const [first, ...others] = steps;
  if (first === undefined) return null;
  const said = headlineOf(first, isMixed);
  const more = others.map((step) => headlineOf(step, isMixed)).join(" · ");
  return (
    <>
      {rule !== null && <li class="timeline-rule">{words.reviewedHere(timeOfDay(rule))}</li>}
      <li data-kind={first.kind}>
        <time class="numbers">{timeOfDay(timeOf(event))}</time>
        <StepMark kind={first.kind} />
        <div>
          {isMixed ? (
            <Whose id={event.agent_id} agent={agent} said={said} />
          ) : (
            <span class="event-title">{said}</span>
          )}
          {first.items.length > 0 && (
            <span class="event-text">
              <TerminalText text={first.items.join(" · ")} />
            </span>
          )}
          {more !== "" && <span class="event-more">{more}</span>}
        </div>
      </li>
    </>
  );
}

const headlineOf = ({ kind, items }: Step, isMixed: boolean): string =>
  kind === "waits" && !isMixed ? words.waits : words.steps[kind](items.length);

/** Whose step it is, where, and what it was; the name leads there. */
function Whose(props: {
  readonly id: string;
  readonly agent: SeenAgent | null;
  readonly said: string;
}): JSX.Element {
  const { id, agent, said } = props;
  const pane = usePaneOf(agent);
  return (
    <>
      <InnerLink class="event-title" hash={agentHash(id, "timeline")}>
        <b>{agent === null ? words.agent : <TerminalText text={nameOf(agent, pane)} />}</b>
      </InnerLink>
      <span class="event-more">
        {said}
        {pane !== null && (
          <>
            {" · "}
            <Place pane={pane} />
          </>
        )}
      </span>
    </>
  );
}
