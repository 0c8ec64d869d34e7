import type { JSX } from "preact";
import { appearanceOfAgent, isOver } from "../../model/lifecycle.ts";
import { useServer } from "../../state/client.ts";
import type { Said } from "../../state/server/agents/said.ts";
import { momentText } from "../../words/times.ts";
import type { Around } from "../../model/search.ts";
import { InnerLink } from "../parts/inner-link.tsx";
import { TerminalText } from "../parts/text.tsx";
import { AgentTile, Tile } from "../parts/tile.tsx";

/** So much that what was found shows on a phone. */
const BEFORE_CHARS = 24;

/** What a person calls the agent of a find: as its pane is called, else as its session is. */
export function useNameOf(): (agent: Said["agent"]) => string {
  const { panes } = useServer();
  return ({ pane_id, title, id }) =>
    (pane_id === null ? null : panes.find(pane_id))?.name ?? (title || id);
}

/** As its pane shows it now, where there is one; else as its log told last. */
export function SaidTile(props: {
  readonly agent: Said["agent"];
  readonly size?: "small" | undefined;
}): JSX.Element {
  const { agent, size } = props;
  const { panes } = useServer();
  const pane = agent.pane_id === null ? null : panes.find(agent.pane_id);
  if (pane !== null) return <Tile pane={pane} status size={size} />;
  return <AgentTile agent={agent} shape={appearanceOfAgent(agent)} size={size} />;
}

/** One find of the palette: who said it where, when, and what stands around it. */
export function SaidRow({ said }: { readonly said: Said }): JSX.Element {
  const { find, agent } = said;
  const { config } = useServer();
  const nameOf = useNameOf();
  const program = config.labels.value[agent.runtime] ?? agent.runtime;
  const speaker = find.role === "user" ? "You" : program;
  return (
    <>
      <SaidTile agent={agent} size="small" />
      <span class="said-row">
        <span class="said-head">
          <span class="truncate">
            <b>
              <TerminalText text={nameOf(agent)} />
            </b>{" "}
            <TerminalText text={isOver(agent) ? `${speaker}, ended` : speaker} />
          </span>
          <time class="numbers">{momentText(find.created_at)}</time>
        </span>
        <SaidText find={find} />
      </span>
    </>
  );
}

/** A find in a list: who said it, when, and what stands around it; leads to the chat around it. */
export function Find(props: {
  readonly hash: string;
  readonly speaker: string;
  readonly at: number;
  readonly find: Around;
}): JSX.Element {
  const { hash, speaker, at, find } = props;
  return (
    <li>
      <InnerLink class="said-find" hash={hash}>
        <span class="found-head">
          <b>{speaker}</b>
          <time class="numbers">{momentText(at)}</time>
        </span>
        <SaidText find={find} />
      </InnerLink>
    </li>
  );
}

/** What was found, marked, with some of what stands around it. */
function SaidText({ find }: { readonly find: Around }): JSX.Element {
  const { before, match, after } = find;
  return (
    <span class="said-text untrusted" dir="auto">
      <TerminalText text={endOf(before)} />
      <mark>
        <TerminalText text={match} />
      </mark>
      <TerminalText text={after} />
    </span>
  );
}

function endOf(before: string): string {
  const letters = [...before];
  return letters.length <= BEFORE_CHARS ? before : `…${letters.slice(-BEFORE_CHARS).join("")}`;
}
