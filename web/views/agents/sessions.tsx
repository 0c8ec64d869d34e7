import type { JSX } from "preact";
import type { SeenAgent } from "../../../src/protocol/tolerant-later.ts";
import { hasEnded, lastSeenAt, shapeOfAgent } from "../../model/lifecycle.ts";
import { rankMatch, searchWords } from "../../model/search.ts";
import { agentHash } from "../../state/browser/router.ts";
import { useBrowser, useServer } from "../../state/client.ts";
import { RowParts } from "../../ui/list.tsx";
import { QueryStatus, OlderButton } from "../parts/query-status.tsx";
import { withBoundary } from "../parts/boundary.tsx";
import { useDerived } from "../parts/derived.ts";
import { InnerLink } from "../parts/links.tsx";
import { RowGroup } from "../parts/row.tsx";
import { TerminalText } from "../parts/text.tsx";
import { AgentTile, Ago } from "../parts/status.tsx";
import { nameOf, useWatch, useWorkspace } from "./use.ts";

/** Sessions that are in no pane: they have ended, or nobody knows where they run. */
export function SessionsWithoutPane({ search }: { readonly search: string }): JSX.Element | null {
  const workspace = useWorkspace();
  const { panes } = useServer();
  useWatch(workspace?.agents ?? null);
  const inPanes = useDerived(() => panes.all.value.flatMap(({ agent_id }) => agent_id ?? []), []);
  if (workspace === null) return null;
  const { agents, isDown } = workspace;
  const outside = (agents.items.value ?? []).filter(({ id }) => !inPanes.includes(id));
  const words = searchWords(search);
  const matches = outside.filter((agent) => rankMatch(words, [textOf(agent)]) !== null);
  return (
    <>
      <QueryStatus query={agents} isDown={isDown.value} isQuiet />
      <RowGroup title="Pane not known" of={matches.filter((agent) => !hasEnded(agent))}>
        {rowOf}
      </RowGroup>
      <RowGroup title="Ended" of={matches.filter(hasEnded)}>
        {rowOf}
      </RowGroup>
      <OlderButton list={agents} />
    </>
  );
}

function DrawnRow({ agent }: { readonly agent: SeenAgent }): JSX.Element {
  const { router } = useBrowser();
  const { config } = useServer();
  const shape = shapeOfAgent(agent, null);
  const isShown = router.openAgent.value?.id === agent.id;
  const { goal } = agent.context;
  return (
    <li class="row-item agent-row">
      <InnerLink
        class={`row ${isShown ? "selected" : ""}`}
        hash={agentHash(agent.id)}
        isShown={isShown}
        row={agent.id}
      >
        <RowParts
          lead={<AgentTile agent={agent} shape={shape} />}
          title={<TerminalText text={nameOf(agent, null)} />}
          titleEnd={<Ago at={lastSeenAt(agent)} class={`row-time ${shape}`} />}
          second={<TerminalText text={goal ?? config.labels.value[agent.runtime] ?? ""} />}
        />
      </InnerLink>
    </li>
  );
}

const AgentRow = withBoundary("li", DrawnRow, ({ agent }) => ({ agentId: agent.id }));
const rowOf = (agent: SeenAgent): JSX.Element => <AgentRow key={agent.id} agent={agent} />;

const textOf = (agent: SeenAgent): string =>
  [nameOf(agent, null), agent.title, agent.context.goal].join(" ");
