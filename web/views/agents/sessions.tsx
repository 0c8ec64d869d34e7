import type { JSX } from "preact";
import { useState } from "preact/hooks";
import type { SeenAgent } from "../../../src/protocol/tolerant-agents.ts";
import {
  AGENT_GROUPS,
  doingOf,
  findAgents,
  groupOf,
  shapeOfAgent,
  type AgentGroup,
} from "../../model/lifecycle.ts";
import { lastSeenAt } from "../../model/binding.ts";
import { agentHash } from "../../state/browser/router.ts";
import { useBrowser, useServer } from "../../state/client.ts";
import type { Panes } from "../../state/server/panes.ts";
import { useDerived } from "../parts/derived.ts";
import { Button } from "../../ui/button.tsx";
import { Empty } from "../../ui/empty.tsx";
import { SearchField } from "../../ui/field.tsx";
import { RowParts } from "../../ui/row.tsx";
import { Section } from "../../ui/section.tsx";
import { agents as words } from "../../words/agents.ts";
import { common } from "../../words/common.ts";
import { InnerLink } from "../parts/inner-link.tsx";
import { Skeletons } from "../parts/skeletons.tsx";
import { Place, TerminalText } from "../parts/text.tsx";
import { Ago } from "../parts/ago.tsx";
import { nameOf, useWatch, usePaneOf, useWorkspace } from "./use.ts";
import { ListNotice, OlderButton } from "./list.tsx";
import { AgentTile } from "../parts/tile.tsx";
import { apart } from "../parts/apart.tsx";

/** Every agent that is read, by what it does now: those that wait first. */
export function SessionList(): JSX.Element | null {
  const workspace = useWorkspace();
  const { panes } = useServer();
  const [search, setSearch] = useState("");
  useWatch(workspace?.agents ?? null);
  const all = workspace?.agents.items.value ?? null;
  const texts = useDerived(
    () => Object.fromEntries((all ?? []).map((agent) => [agent.id, textOf(agent, panes)])),
    [all],
  );
  const paneOf = ({ association, pane_id }: SeenAgent) =>
    association === "confirmed" && pane_id !== null ? panes.find(pane_id) : null;
  const groups = useDerived(
    () => Object.fromEntries((all ?? []).map((one) => [one.id, groupOf(one, paneOf(one))])),
    [all],
  );
  if (workspace === null) return <Skeletons />;
  const { agents, isDown } = workspace;
  const found = findAgents(all ?? [], search, ({ id }) => texts[id] ?? "");
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
            <SearchField
              value={search}
              onChange={setSearch}
              label={words.search(all.length, agents.hasMore.value)}
              clearLabel={words.clearSearch}
              isFilter
            />
          </div>
        </>
      )}
      {search !== "" && found.length === 0 && (
        <Empty title={words.noMatch} isStatus>
          <Button onClick={() => setSearch("")}>{words.clear}</Button>
        </Empty>
      )}
      {AGENT_GROUPS.map((group) => (
        <Group
          key={group}
          title={words.groups[group]}
          agents={inOrder(
            group,
            found.filter(({ id }) => groups[id] === group),
          )}
        />
      ))}
      <OlderButton list={agents} />
    </>
  );
}

/** Who waits longest comes first; the others stand as they come. */
const inOrder = (group: AgentGroup, agents: readonly SeenAgent[]): readonly SeenAgent[] =>
  group === "waiting" ? agents.toSorted((a, b) => lastSeenAt(a) - lastSeenAt(b)) : agents;

function Group(props: {
  readonly title: string;
  readonly agents: readonly SeenAgent[];
}): JSX.Element | null {
  const { title, agents } = props;
  const { layout } = useBrowser();
  if (agents.length === 0) return null;
  return (
    <Section title={title} count={agents.length}>
      <ul class={layout.columns.value === 1 ? "list" : "rows"}>
        {agents.map((agent) => (
          <AgentRow key={agent.id} agent={agent} />
        ))}
      </ul>
    </Section>
  );
}

function DrawnRow({ agent }: { readonly agent: SeenAgent }): JSX.Element {
  const { router } = useBrowser();
  const pane = usePaneOf(agent);
  const doing = doingOf(agent, pane);
  const shape = shapeOfAgent(agent, pane);
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
        <RowParts
          lead={
            <AgentTile
              agent={agent}
              shape={shape}
              label={doing === "parked" ? common.status.parked : words.lifecycle[doing]}
            />
          }
          title={<TerminalText text={nameOf(agent, pane)} />}
          titleEnd={<Ago at={lastSeenAt(agent)} class={`row-time ${shape}`} />}
          second={goal === null ? words.unknown : <TerminalText text={goal} />}
          more={
            <span class="row-second row-third truncate">
              {pane === null ? (
                agent.lifecycle !== "offline" && words.notCertain
              ) : (
                <Place pane={pane} />
              )}
              {blockers.length > 0
                ? ` · ${words.blockers(blockers.length)}`
                : progress !== null && ` · ${words.doneOf(progress.completed, progress.total)}`}
            </span>
          }
        />
      </InnerLink>
    </li>
  );
}

export const AgentRow = apart("li", DrawnRow, ({ agent }) => ({ agentId: agent.id }));

/** What a search looks through. */
function textOf(agent: SeenAgent, panes: Panes): string {
  const pane = agent.pane_id === null ? null : panes.find(agent.pane_id);
  return [nameOf(agent, pane), agent.title, agent.context.goal, pane?.target].join(" ");
}
