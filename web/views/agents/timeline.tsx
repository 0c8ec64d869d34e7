import type { JSX } from "preact";
import type { SeenAgent, SeenTimelineEvent } from "../../../src/protocol/tolerant-agents.ts";
import { daysBetween, daysOf, timeOf, waitingEvents } from "../../model/timeline.ts";
import { agentHash } from "../../state/browser/router.ts";
import type { AgentState } from "../../state/server/agents/agent.ts";
import type { Workspace } from "../../state/server/agents/workspace.ts";
import { useBrowser, useServer } from "../../state/client.ts";
import { Icon, type IconName } from "../../ui/icons.tsx";
import { agents as words, dayText } from "../../words/agents.ts";
import { timeOfDay } from "../../words/common.ts";
import { Skeletons } from "../parts/skeletons.tsx";
import { TerminalText } from "../parts/text.tsx";
import { nameOf, useFollowed, useWorkspace } from "../review/use.ts";
import { ListNotice, OlderButton } from "./list.tsx";
import { Empty } from "./screen.tsx";

const SHAPES: Readonly<Record<SeenTimelineEvent["type"], IconName>> = {
  decision: "cursor",
  completed: "check",
  blocker: "warning",
  progress: "next",
  context: "star",
  activity: "active",
  unknown: "info",
};

/** What happened in one session. */
export function AgentTimeline(props: {
  readonly workspace: Workspace;
  readonly state: AgentState;
  readonly agent: SeenAgent;
}): JSX.Element {
  const { workspace, state, agent } = props;
  const { timeline, followed } = state;
  useFollowed(followed.timeline);
  const events = timeline.items.value;
  return (
    <>
      <ListNotice
        list={timeline}
        isDown={workspace.isDown.value}
        onRetry={() => followed.timeline.retry()}
      />
      <Events
        events={events}
        hasFailed={timeline.failure.value !== null}
        agents={new Map([[agent.id, agent]])}
        isMixed={false}
      />
      <OlderButton list={timeline} />
    </>
  );
}

/** What happened in all of them, the name of each first. */
export function WholeTimeline(): JSX.Element {
  const workspace = useWorkspace();
  useFollowed(workspace?.followed.timeline ?? null);
  // Only the list of sessions knows their names.
  useFollowed(workspace?.followed.agents ?? null);
  if (workspace === null) return <Skeletons />;
  const { timeline, agents, followed, isDown } = workspace;
  const named = new Map((agents.items.value ?? []).map((agent) => [agent.id, agent]));
  return (
    <>
      <ListNotice list={timeline} isDown={isDown.value} onRetry={() => followed.timeline.retry()} />
      <Events
        events={timeline.items.value}
        hasFailed={timeline.failure.value !== null}
        agents={named}
        isMixed
      />
      <OlderButton list={timeline} />
    </>
  );
}

function Events(props: {
  readonly events: readonly SeenTimelineEvent[] | null;
  readonly hasFailed: boolean;
  readonly agents: ReadonlyMap<string, SeenAgent>;
  /** Events of many stand together: each says whose it is. */
  readonly isMixed: boolean;
}): JSX.Element | null {
  const { events, hasFailed, agents, isMixed } = props;
  const { clock } = useBrowser();
  if (events === null) return hasFailed ? null : <Skeletons />;
  if (events.length === 0)
    return <Empty title={words.timelineEmptyTitle} text={words.timelineEmptyText} />;
  const waiting = waitingEvents(events, (id) => agents.get(id)?.pending_decisions_count ?? null);
  return (
    <>
      {daysOf(events).map((day) => (
        <section key={day.events[0]?.id}>
          <h2 class="section">{dayText(day.at, daysBetween(day.at, clock.now.value))}</h2>
          <ol class="timeline">
            {day.events.map((event) => (
              <Event
                key={event.id}
                event={event}
                isWaiting={waiting.has(event.id)}
                link={isMixed && <AgentLink id={event.agent_id} agents={agents} />}
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
  readonly isWaiting: boolean;
  /** To the agent; false where all events are of one. */
  readonly link: JSX.Element | false;
}): JSX.Element {
  const { event, isWaiting, link } = props;
  const title = event.title === "" ? words.types[event.type] : event.title;
  return (
    <li data-type={event.type} class={isWaiting ? "asked" : ""}>
      <time class="numbers">{timeOfDay(timeOf(event))}</time>
      <Icon name={SHAPES[event.type]} class="small" />
      <div>
        {link}
        <span class={link === false ? "event-title" : "event-text"}>
          <TerminalText text={title} />
        </span>
        <span class="event-more">{moreOf(event)}</span>
      </div>
    </li>
  );
}

function AgentLink(props: {
  readonly id: string;
  readonly agents: ReadonlyMap<string, SeenAgent>;
}): JSX.Element {
  const { id, agents } = props;
  const { router } = useBrowser();
  const { panes } = useServer();
  const hash = agentHash(id, "timeline");
  const agent = agents.get(id);
  const paneId = agent?.pane_id ?? null;
  const pane = paneId === null ? null : panes.find(paneId);
  return (
    <a
      class="event-title"
      href={hash}
      onClick={(event) => {
        if (event.metaKey || event.ctrlKey || event.shiftKey) return;
        event.preventDefault();
        router.go(hash);
      }}
    >
      <b>{agent === undefined ? words.agent : <TerminalText text={nameOf(agent, pane)} />}</b>
    </a>
  );
}

/** What a step brought, in counts; its title says the first of it. */
function moreOf({ delta, type }: SeenTimelineEvent): string {
  const counts: readonly (readonly [number | undefined, (n: number) => string])[] = [
    [delta.completed?.length, words.itemsDone],
    [delta.new_blockers?.length, words.itemsBlocked],
    [delta.resolved_blockers?.length, words.itemsUnblocked],
    [delta.decisions_added?.length, words.itemsAsked],
    [delta.decisions_resolved?.length, words.itemsDecided],
  ];
  const said = counts.flatMap(([n, text]) => (n === undefined || n === 0 ? [] : [text(n)]));
  return said.length === 0 ? words.types[type] : said.join(" · ");
}
