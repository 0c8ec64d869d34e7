import type { ComponentChildren, JSX } from "preact";
import type { SeenAgent } from "../../../src/protocol/tolerant-later.ts";
import { shapeOfAgent } from "../../model/lifecycle.ts";
import { placeOf, waits, type Pane } from "../../model/pane.ts";
import { markMatches, rankMatch } from "../../model/search.ts";
import { agentHash } from "../../state/browser/router.ts";
import type { Client } from "../../state/client.ts";
import type { MessageHits } from "../../state/server/agents/chat.ts";
import { Broadcast, exclusionReason } from "../../state/server/broadcast.ts";
import { Icon, type IconName } from "../../ui/button.tsx";
import { count } from "../../words/common.ts";
import { nameOf, workspaceIn } from "../agents/use.ts";
import { HostChip } from "../hosts/hosts.tsx";
import { KeyCaps } from "../parts/key-caps.tsx";
import { TerminalText } from "../parts/text.tsx";
import { AgentTile, Tile, Wait } from "../parts/status.tsx";
import { MessageHitRow } from "../search/messages.tsx";
import { settingsPages } from "../settings/settings.tsx";
import type { Command } from "./command.ts";
import { paletteCommands } from "./table.ts";

const MAX_PANES = 50;
const MAX_AGENTS = 10;

/** `open` is called on Enter and on a click. */
export interface Result {
  readonly key: string;
  readonly row: JSX.Element;
  readonly open: (client: Client) => void;
}
export type ResultGroup = readonly [title: string, results: readonly Result[]];

/** Groups in their order, which is always the same. */
export function resultsFor(
  words: readonly string[],
  hasPanes: boolean,
  client: Client,
): ResultGroup[] {
  const { server } = client;
  const panes = !hasPanes
    ? []
    : ranked(words, server.panes.all.value, (pane) => [
        ...[pane.name, ...placeOf(pane), pane.title, pane.agent?.label ?? ""],
        pane.host ?? "",
      ]);
  const isAsked = hasPanes && words.length > 0;
  const toPane = (pane: Pane) => paneResult(pane, words);
  const others = panes.filter((pane) => !waits(pane));
  const commands = ranked(words, paletteCommands(client), ({ label }) => [label]);
  const pages = isAsked ? ranked(words, settingsPages(), ([, title]) => [title]) : [];
  return [
    ["Waiting", panes.filter(waits).map(toPane)],
    ["Panes", others.slice(0, MAX_PANES).map(toPane)],
    ["Agents", isAsked ? agentResults(words, client) : []],
    [
      "Do",
      [
        ...commands.map((command) => commandResult(command, words)),
        ...(isAsked ? broadcastResult(panes, client) : []),
      ],
    ],
    [
      "Settings",
      pages.map(([name, title]) => ({
        key: name,
        row: <IconRow icon="sliders" text={title} words={words} />,
        open: ({ browser: { router } }) => router.show(name),
      })),
    ],
  ];
}

function paneResult(pane: Pane, words: readonly string[]): Result {
  const row = (
    <>
      <Tile pane={pane} status />
      <span class="palette-name truncate">
        <MatchText text={pane.name} words={words} />
      </span>
      <span class="palette-end flex grow gap-8 fs-13 text-2 truncate">
        {waits(pane) ? (
          <>
            <HostChip pane={pane} />
            <span class="truncate">
              <TerminalText text={pane.question ?? ""} />
            </span>
            <Wait pane={pane} />
          </>
        ) : (
          <span class="truncate">
            <HostChip pane={pane} />
            {placeOf(pane).map((label, i) => (
              <span key={i}>
                {i > 0 && " › "}
                <MatchText text={label} words={words} />
              </span>
            ))}
          </span>
        )}
      </span>
    </>
  );
  return { key: pane.id, row, open: (to) => to.browser.router.go(to.pageHash(pane)) };
}

const commandResult = (command: Command, words: readonly string[]): Result => ({
  key: command.label,
  row: (
    <IconRow icon={command.icon ?? "next"} text={command.label} words={words}>
      {command.keys !== undefined && <KeyCaps keys={command.keys} />}
    </IconRow>
  ),
  open: (client) => command.run?.(client),
});

/** A broadcast to those of the found panes that can get one. */
function broadcastResult(panes: readonly Pane[], { server }: Client): readonly Result[] {
  const isHeld = (id: string) => server.outbox.isHeld(id);
  const ids = panes.filter((pane) => exclusionReason(pane, isHeld) === null).map(({ id }) => id);
  if (ids.length === 0) return [];
  const row = (
    <IconRow icon="broadcast" text="Broadcast to the matches">
      <span class="palette-end flex grow gap-8 fs-13 text-2 numbers">
        {`${ids.length} of ${count(panes.length, "pane", "panes")}`}
      </span>
    </IconRow>
  );
  const open = ({ browser: { router } }: Client) => {
    server.part(Broadcast).choose(ids);
    router.show("broadcast");
  };
  return [{ key: "broadcast", row, open }];
}

/** These come from the server, later than the rest, and so stand last. */
export function messageResults(query: string, messages: MessageHits | null): readonly Result[] {
  const results = (messages?.items.value ?? []).map((each): Result => ({
    key: `said ${each.find.id}`,
    row: <MessageHitRow hit={each} />,
    open: ({ browser: { router } }) => router.go(agentHash(each.find.agent_id, each.find.id)),
  }));
  if (messages?.hasMore.value !== true) return results;
  const row = <IconRow icon="search" text="All that was said" />;
  const open = ({ browser: { layout, router } }: Client) => {
    layout.listSearch.value = query.trim();
    router.go("#/all");
  };
  return [...results, { key: "all that was said", row, open }];
}

/** By the names of their panes, and by their last names where they are in none. */
function agentResults(words: readonly string[], { server }: Client): readonly Result[] {
  const agents = workspaceIn(server)?.agents.items.value ?? [];
  const named = agents.map((agent: SeenAgent) => {
    const isIn = agent.association === "confirmed" && agent.pane_id !== null;
    const pane = isIn ? server.panes.find(agent.pane_id ?? "") : null;
    return { agent, pane, name: nameOf(agent, pane) };
  });
  return ranked(words, named, ({ name }) => [name])
    .slice(0, MAX_AGENTS)
    .map(({ agent, pane, name }) => ({
      key: `agent ${agent.id}`,
      row: (
        <>
          <AgentTile agent={agent} shape={shapeOfAgent(agent, pane)} />
          <span class="palette-name truncate">
            <MatchText text={name} words={words} />
          </span>
        </>
      ),
      open: ({ browser: { router } }) => router.go(agentHash(agent.id)),
    }));
}

function ranked<T>(
  words: readonly string[],
  items: readonly T[],
  textsOf: (item: T) => readonly string[],
): readonly T[] {
  return items
    .map((item) => ({ item, rank: rankMatch(words, textsOf(item)) }))
    .filter(({ rank }) => rank !== null)
    .toSorted((a, b) => (a.rank ?? 0) - (b.rank ?? 0))
    .map(({ item }) => item);
}

const IconRow = (props: {
  readonly icon: IconName;
  readonly text: string;
  readonly words?: readonly string[];
  readonly children?: ComponentChildren;
}): JSX.Element => (
  <>
    <Icon name={props.icon} />
    <span class="grow">
      <MatchText text={props.text} words={props.words ?? []} />
    </span>
    {props.children}
  </>
);

/** Untrusted text with its matches in bold. */
const MatchText = (props: { readonly text: string; readonly words: readonly string[] }) => (
  <span class="untrusted" dir="auto">
    {markMatches(props.text, props.words).map(({ text, isMatch }, i) => (
      <TerminalText key={i} as={isMatch ? "b" : "span"} text={text} />
    ))}
  </span>
);
