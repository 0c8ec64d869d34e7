import type { JSX } from "preact";
import { useState } from "preact/hooks";
import type { SeenAgent } from "../../../src/protocol/tolerant-agents.ts";
import {
  appearanceOfAgent,
  findAgents,
  isInSessionFilter,
  type SessionFilter,
} from "../../model/lifecycle.ts";
import { agentHash } from "../../state/browser/router.ts";
import { useBrowser, useServer } from "../../state/client.ts";
import type { Panes } from "../../state/server/panes.ts";
import { useDerived } from "../parts/derived.ts";
import { Button, IconButton } from "../../ui/button.tsx";
import { Icon, StatusIcon } from "../../ui/icons.tsx";
import { agents as words } from "../../words/agents.ts";
import { InnerLink } from "../parts/inner-link.tsx";
import { Skeletons } from "../parts/skeletons.tsx";
import { Place, TerminalText } from "../parts/text.tsx";
import { Ago } from "../review/ago.tsx";
import { lettersOf, nameOf, useWatch, usePaneOf, useWorkspace } from "../review/use.ts";
import { ListNotice, OlderButton } from "./list.tsx";
import { Empty } from "./screen.tsx";
import { SessionChips } from "./session-chips.tsx";

/** Every session that is read: those that run, and those that have ended. */
export function SessionList(): JSX.Element | null {
  const workspace = useWorkspace();
  const { panes } = useServer();
  const { layout } = useBrowser();
  const [search, setSearch] = useState("");
  const [filter, setFilter] = useState<SessionFilter | null>(null);
  useWatch(workspace?.agents ?? null);
  if (workspace === null) return <Skeletons />;
  const { agents, isDown } = workspace;
  const all = agents.items.value;
  const texts = useDerived(
    () => Object.fromEntries((all ?? []).map((agent) => [agent.id, textOf(agent, panes)])),
    [all],
  );
  const narrowed = (all ?? []).filter((agent) => isInSessionFilter(agent, filter));
  const found = findAgents(narrowed, search, ({ id }) => texts[id] ?? "");
  const clear = () => {
    setSearch("");
    setFilter(null);
  };
  const isEmpty = found.running.length + found.over.length === 0;
  return (
    <>
      <ListNotice list={agents} isDown={isDown.value} />
      {all === null && agents.failure.value === null && <Skeletons />}
      {all !== null && all.length === 0 && (
        <Empty title={words.emptyTitle} text={words.emptyText} />
      )}
      {all !== null && all.length > 0 && (
        <>
          <div class="search-line">
            <Search
              value={search}
              onChange={setSearch}
              label={words.search(all.length, agents.hasMore.value)}
            />
          </div>
          {layout.columns.value < 3 && (
            <SessionChips agents={all} chosen={filter} onChoose={setFilter} />
          )}
        </>
      )}
      {(search !== "" || filter !== null) && isEmpty && (
        <div class="empty" role="status">
          <h2>{words.noMatch}</h2>
          <Button onClick={clear}>{words.clear}</Button>
        </div>
      )}
      <Group title={words.running} agents={found.running} />
      <Group title={words.over} agents={found.over} />
      <OlderButton list={agents} />
    </>
  );
}

function Search(props: {
  readonly value: string;
  readonly onChange: (value: string) => void;
  readonly label: string;
}): JSX.Element {
  const { value, onChange, label } = props;
  return (
    <search class="field grow">
      <Icon name="search" />
      <input
        class="grow"
        type="search"
        aria-label={label}
        placeholder={label}
        value={value}
        data-filter
        onInput={(event) => onChange(event.currentTarget.value)}
      />
      {value !== "" && (
        <IconButton icon="close" label={words.clearSearch} onClick={() => onChange("")} />
      )}
    </search>
  );
}

function Group(props: {
  readonly title: string;
  readonly agents: readonly SeenAgent[];
}): JSX.Element | null {
  const { title, agents } = props;
  const { layout } = useBrowser();
  if (agents.length === 0) return null;
  return (
    <section>
      <h2 class="section">
        {title}
        <span class="section-count numbers">{agents.length}</span>
      </h2>
      <ul class={layout.columns.value === 1 ? "list" : "rows"}>
        {agents.map((agent) => (
          <AgentRow key={agent.id} agent={agent} />
        ))}
      </ul>
    </section>
  );
}

export function AgentRow({ agent }: { readonly agent: SeenAgent }): JSX.Element {
  const { router } = useBrowser();
  const pane = usePaneOf(agent);
  const shape = appearanceOfAgent(agent);
  const isShown = router.openAgent.value?.id === agent.id;
  const { progress, goal, blockers } = agent.context;
  return (
    <li class="row-item agent-row">
      <InnerLink
        class={`row ${isShown ? "selected" : ""}`}
        hash={agentHash(agent.id)}
        isShown={isShown}
        row={agent.id}
      >
        <span class="tile with-status">
          <span aria-hidden="true">{lettersOf(agent)}</span>
          <StatusIcon shape={shape} label={words.lifecycle[agent.lifecycle]} />
        </span>
        <span class="grow row-text">
          <span class="row-first">
            <b class="truncate">
              <TerminalText text={nameOf(agent, pane)} />
            </b>
            <Ago at={agent.last_event_at ?? agent.updated_at} class={`row-time ${shape}`} />
          </span>
          <span class="row-second truncate">
            {goal === null ? words.unknown : <TerminalText text={goal} />}
          </span>
          <span class="row-second row-third truncate">
            {pane !== null ? (
              <Place pane={pane} />
            ) : (
              agent.lifecycle !== "offline" && words.notCertain
            )}
            {blockers.length > 0
              ? ` · ${words.blockers(blockers.length)}`
              : progress !== null && ` · ${words.doneOf(progress.completed, progress.total)}`}
          </span>
        </span>
      </InnerLink>
    </li>
  );
}

/** What a search looks through. */
function textOf(agent: SeenAgent, panes: Panes): string {
  const pane = agent.pane_id === null ? null : panes.find(agent.pane_id);
  return [nameOf(agent, pane), agent.title, agent.context.goal, pane?.target].join(" ");
}
