// What was said in all sessions, searched by the palette and by All.
import type { JSX } from "preact";
import { useEffect, useMemo, useState } from "preact/hooks";
import { appearanceOfAgent, isOver } from "../../model/lifecycle.ts";
import type { Around } from "../../model/search.ts";
import { beginOf, CHAT_TIME_NAMES } from "../../model/timeline.ts";
import { agentHash } from "../../state/browser/router.ts";
import { useBrowser, useServer } from "../../state/client.ts";
import type { Said, SaidQuery, SaidSearch } from "../../state/server/agents/said.ts";
import { Button } from "../../ui/button.tsx";
import { Chips, ChipSelect } from "../../ui/chips.tsx";
import { Empty } from "../../ui/empty.tsx";
import { Section } from "../../ui/section.tsx";
import { count } from "../../words/common.ts";
import { dayWithin, momentText } from "../../words/times.ts";
import { useWatch, useWorkspace } from "../agents/use.ts";
import { Asked, OlderButton } from "../parts/asked.tsx";
import { useToday } from "../parts/derived.ts";
import { InnerLink } from "../parts/links.tsx";
import { TerminalText } from "../parts/text.tsx";
import { AgentTile, Tile } from "../parts/tile.tsx";

const MIN_CHARS = 2;
const LOOK_AFTER_MS = 250;
const PAGE = 30;
const FIRST_FINDS = 3;
/** So much that what was found shows on a phone. */
const BEFORE_CHARS = 24;
const ROLES = [
  { value: "assistant", label: "Agents" },
  { value: "user", label: "You" },
] as const;
const TIMES = { today: "Today", week: "Last 7 days", month: "Last 30 days" };
const TIME_OPTIONS = [
  ["", "Any time"] as const,
  ...CHAT_TIME_NAMES.map((time) => [time, TIMES[time]] as const),
];

/**
 * A search for these words in all that was said, once the typing rests; null where nothing is searched
 * for. `narrowed` must be the same object while it means the same.
 */
export function useSaid(typed: string | null, narrowed: Omit<SaidQuery, "q">): SaidSearch | null {
  const { config } = useServer();
  const workspace = useWorkspace();
  const [search, setSearch] = useState<{ readonly q: string; readonly said: SaidSearch } | null>(
    null,
  );
  const q = typed?.trim() ?? "";
  const isAsked = workspace !== null && [...q].length >= MIN_CHARS && config.has("search_v1");
  useEffect(() => {
    if (!isAsked) return;
    const timer = setTimeout(
      () => setSearch({ q, said: workspace.said({ q, ...narrowed }) }),
      LOOK_AFTER_MS,
    );
    return () => clearTimeout(timer);
  }, [q, isAsked, workspace, narrowed]);
  const current = isAsked && search?.q === q ? search.said : null;
  useWatch(current);
  // A long search goes on by itself: one that nobody waits for any more does not.
  useEffect(() => () => current?.clear(), [current]);
  return current;
}

/** What was said with the words that All is searched for, below the panes: by agent, newest first. */
export function SaidFinds({ search }: { readonly search: string }): JSX.Element | null {
  const [role, setRole] = useState<"assistant" | "user" | null>(null);
  const { clock } = useBrowser();
  const [time, setTime] = useState("");
  const narrowed = useMemo(() => {
    const chosen = CHAT_TIME_NAMES.find((one) => one === time);
    const after = chosen === undefined ? null : beginOf(chosen, clock.now.peek());
    return { role, after, limit: PAGE };
  }, [role, time]);
  const said = useSaid(search, narrowed);
  const today = useToday();
  if (said === null) return null;
  const items = said.items.value;
  const from = said.retainedFrom.value;
  return (
    <Section
      title="Said"
      end={
        items !== null &&
        items.length > 0 && (
          <span class="numbers">
            {`${said.hasMore.value ? "more than " : ""}${items.length} in ${count(byAgent(items).length, "agent", "agents")}`}
          </span>
        )
      }
      class="said-all"
    >
      <div class="said-filters flex">
        <Chips
          label="Filter what was said"
          all={{ label: "All" }}
          chips={ROLES}
          chosen={role}
          onChoose={setRole}
        />
        <ChipSelect label="Time" options={TIME_OPTIONS} chosen={time} onChoose={setTime} />
      </div>
      <Asked query={said} />
      {items?.length === 0 && <Empty title={`Nothing said “${search.trim()}”`} isStatus />}
      {byAgent(items ?? []).map((finds) => (
        <OfAgent key={finds[0]?.agent.id} finds={finds} />
      ))}
      <OlderButton list={said} label="Find older" />
      {items !== null && !said.hasMore.value && from !== null && (
        <p class="chat-end centred fs-12 text-2">Kept since {dayWithin(from, today)}</p>
      )}
    </Section>
  );
}

/** In the order of the newest find of each. */
const byAgent = (items: readonly Said[]): readonly (readonly Said[])[] => [
  ...Map.groupBy(items, ({ agent }) => agent.id).values(),
];

function OfAgent({ finds }: { readonly finds: readonly Said[] }): JSX.Element | null {
  const { config } = useServer();
  const nameOf = useNameOf();
  const [isOpen, setOpen] = useState(false);
  const agent = finds[0]?.agent;
  if (agent === undefined) return null;
  const program = config.labels.value[agent.runtime] ?? agent.runtime;
  const shown = isOpen ? finds : finds.slice(0, FIRST_FINDS);
  return (
    <div class="said-agent mb-12">
      <div class="flex gap-12 pad mb-12">
        <SaidTile agent={agent} />
        <span class="grid grow">
          <b class="truncate">
            <TerminalText text={nameOf(agent)} />
          </b>
          <span class="truncate fs-13 text-2">{isOver(agent) ? `${program}, ended` : program}</span>
        </span>
      </div>
      <ul class="found surface round-3">
        {shown.map(({ find }) => (
          <Find
            key={find.id}
            hash={agentHash(agent.id, find.id)}
            speaker={find.role === "user" ? "You" : program}
            at={find.created_at}
            find={find}
          />
        ))}
      </ul>
      {finds.length > shown.length && (
        <Button tone="plain" onClick={() => setOpen(true)}>
          {`${count(finds.length - shown.length, "more", "more")} in this agent`}
        </Button>
      )}
    </div>
  );
}

/** What a person calls the agent of a find: as its pane is called, else as its session is. */
function useNameOf(): (agent: Said["agent"]) => string {
  const { panes } = useServer();
  return ({ pane_id, title, id }) =>
    (pane_id === null ? null : panes.find(pane_id))?.name ?? (title || id);
}

/** As its pane shows it now, where there is one; else as its log told last. */
function SaidTile(props: {
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
      <span class="grow">
        <span class="said-head flex baseline between gap-12 fs-13 text-2">
          <span class="truncate">
            <b>
              <TerminalText text={nameOf(agent)} />
            </b>{" "}
            <TerminalText text={isOver(agent) ? `${speaker}, ended` : speaker} />
          </span>
          <time class="rigid fs-12 numbers">{momentText(find.created_at)}</time>
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
      <InnerLink class="said-find grid tap" hash={hash}>
        <span class="flex between gap-12">
          <b>{speaker}</b>
          <time class="fs-12 numbers text-3">{momentText(at)}</time>
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
    <span class="said-text untrusted fs-13 prose anywhere text-2" dir="auto">
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
