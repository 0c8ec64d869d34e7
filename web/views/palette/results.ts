import type { SeenAgent } from "../../../src/protocol/tolerant-agents.ts";
import { placeOf, waits, type Pane } from "../../model/pane.ts";
import { leftOutReason } from "../../state/server/broadcast.ts";
import { rankMatch, searchWords } from "../../model/search.ts";
import type { Client } from "../../state/client.ts";
import type { Command } from "../commands/command.ts";
import { paletteCommands } from "../commands/table.ts";
import { nameOf } from "../agents/use.ts";
import type { SettingsPage } from "../settings/settings.tsx";
import { settingsPages } from "../settings/settings.tsx";
import type { Said, SaidSearch } from "../../state/server/agents/said.ts";

const MAX_PANES = 50;
const MAX_AGENTS = 10;
/** Written first, it leaves the panes out. */
const ONLY_COMMANDS = ">";
/** Written first, it leaves everything out but what was said. */
const ONLY_SAID = '"';

export type Result =
  | { readonly kind: "pane"; readonly pane: Pane }
  | {
      readonly kind: "agent";
      readonly agent: SeenAgent;
      readonly pane: Pane | null;
      readonly name: string;
    }
  | { readonly kind: "page"; readonly name: SettingsPage; readonly title: string }
  | { readonly kind: "command"; readonly command: Command }
  | ({ readonly kind: "said" } & Said)
  /** More was said than stands here. */
  | { readonly kind: "all"; readonly q: string }
  /** A broadcast to the panes that were found and take one. */
  | { readonly kind: "broadcast"; readonly ids: readonly string[]; readonly found: number };

export interface ResultGroup {
  readonly title: string;
  readonly results: readonly Result[];
}

export interface Query {
  /** What messages are searched for; null: nothing. */
  readonly said: string | null;
  readonly words: readonly string[];
  readonly only: "commands" | "said" | null;
}

export function readQuery(text: string): Query {
  const first = text.trimStart();
  if (first.startsWith(ONLY_COMMANDS))
    return { words: searchWords(first.slice(1)), only: "commands", said: null };
  if (first.startsWith(ONLY_SAID)) return { words: [], only: "said", said: first.slice(1) };
  return { words: searchWords(text), only: null, said: text };
}

/**
 * What the palette shows for a query: who waits, then other panes, then what can be done. What was
 * said is known later than the rest, and stands last: nothing moves under a finger.
 */
export function resultsFor(
  query: Query,
  client: Client,
  said: SaidSearch | null,
): readonly ResultGroup[] {
  const results = foundSaid(query, said);
  const saidGroup = { title: "Said", results };
  if (query.only === "said") return results.length > 0 ? [saidGroup] : [];
  const found =
    query.only === "commands"
      ? []
      : ranked(query.words, client.server.panes.all.value, (pane) => [
          pane.name,
          ...placeOf(pane),
          pane.title,
          pane.agent?.label ?? "",
          pane.host ?? "",
        ]);
  const toPane = (pane: Pane): Result => ({ kind: "pane", pane });
  const commands = ranked(query.words, paletteCommands(client), ({ label }) => [label]);
  const actions: Result[] = commands.map((command) => ({ kind: "command", command }));
  if (query.words.length > 0 && found.length > 0) {
    const isHeld = (id: string) => client.server.outbox.isHeld(id);
    const ids = found.filter((pane) => leftOutReason(pane, isHeld) === null).map(({ id }) => id);
    if (ids.length > 0) actions.push({ kind: "broadcast", ids, found: found.length });
  }
  const isAsked = query.words.length > 0 && query.only === null;
  return [
    { title: "Waiting", results: found.filter(waits).map(toPane) },
    {
      title: "Panes",
      results: found
        .filter((pane) => !waits(pane))
        .slice(0, MAX_PANES)
        .map(toPane),
    },
    { title: "Agents", results: isAsked ? foundAgents(query, client) : [] },
    { title: "Do", results: actions },
    { title: "Settings", results: isAsked ? foundPages(query) : [] },
    saidGroup,
  ].filter(({ results }) => results.length > 0);
}

function foundSaid({ said: q }: Query, said: SaidSearch | null): readonly Result[] {
  const found = (said?.items.value ?? []).map((each): Result => ({ kind: "said", ...each }));
  const isWhole = said?.hasMore.value !== true;
  return isWhole || q === null ? found : [...found, { kind: "all", q: q.trim() }];
}

/** Those of a pane by its name, others by what they were called last. */
function foundAgents(query: Query, { server }: Client): readonly Result[] {
  const agents = server.workspace.current.value?.agents.items.value ?? [];
  const named = agents.map((agent) => {
    const isIn = agent.association === "confirmed" && agent.pane_id !== null;
    const pane = isIn ? server.panes.find(agent.pane_id ?? "") : null;
    return { agent, pane, name: nameOf(agent, pane) };
  });
  return ranked(query.words, named, ({ name }) => [name])
    .slice(0, MAX_AGENTS)
    .map((found) => ({ kind: "agent", ...found }));
}

const foundPages = (query: Query): readonly Result[] =>
  ranked(query.words, settingsPages(), ({ title }) => [title]).map((page) => ({
    kind: "page",
    ...page,
  }));

function ranked<T>(
  sought: readonly string[],
  items: readonly T[],
  textsOf: (item: T) => readonly string[],
): readonly T[] {
  return items
    .flatMap((item) => {
      const rank = rankMatch(sought, textsOf(item));
      return rank === null ? [] : [{ item, rank }];
    })
    .toSorted((a, b) => a.rank - b.rank)
    .map(({ item }) => item);
}
