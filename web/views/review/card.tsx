import type { ComponentChildren, JSX } from "preact";
import type { SeenAgent } from "../../../src/protocol/tolerant-agents.ts";
import { agentHash } from "../../state/browser/router.ts";
import { useBrowser, useServer } from "../../state/client.ts";
import { Place, TerminalText } from "../parts/text.tsx";
import { AgentTile } from "../parts/tile.tsx";
import { nameOf, usePaneOf } from "./use.ts";

export function CardHeader(props: {
  readonly agent: SeenAgent;
  readonly titleId: string;
  readonly headingLevel: 2 | 3;
  /** Its place among the others, for those who hear the list. */
  readonly place?: string;
  /** Its time, at the end of the line. */
  readonly children: ComponentChildren;
}): JSX.Element {
  const { agent, titleId, headingLevel, place, children } = props;
  const { router } = useBrowser();
  const { config } = useServer();
  const pane = usePaneOf(agent);
  const Heading = `h${headingLevel}` as const;
  return (
    <header class="card-header">
      <AgentTile agent={agent} />
      <Heading class="grow">
        <button type="button" class="card-title" onClick={() => router.go(agentHash(agent.id))}>
          {place !== undefined && <span class="visually-hidden">{place}, </span>}
          <span class="name truncate" id={titleId}>
            <TerminalText text={nameOf(agent, pane)} />
          </span>
          <span class="where truncate">
            {pane === null ? (
              <TerminalText text={config.labels.value[agent.runtime] ?? agent.runtime} />
            ) : (
              <Place pane={pane} />
            )}
          </span>
        </button>
      </Heading>
      {children}
    </header>
  );
}
