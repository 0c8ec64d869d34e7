// The search in the messages of all sessions, for the palette and All.
import type { JSX } from "preact";
import { useEffect, useMemo, useState } from "preact/hooks";
import { appearanceOfAgent, hasEnded } from "../../model/lifecycle.ts";
import { midnightBefore } from "../../model/timeline.ts";
import { agentHash } from "../../state/browser/router.ts";
import { useBrowser, useServer } from "../../state/client.ts";
import type { SearchHit, MessageHitsQuery, MessageHits } from "../../state/server/agents/chat.ts";
import { Button } from "../../ui/button.tsx";
import { Chips, ChipSelect } from "../../ui/item.tsx";
import { Empty } from "../../ui/notice.tsx";
import { Section } from "../../ui/list.tsx";
import { count } from "../../words/common.ts";
import { dayWithin, momentText } from "../../words/times.ts";
import { useWatch, useWorkspace } from "../agents/use.ts";
import { QueryStatus, OlderButton } from "../parts/query-status.tsx";
import { useToday } from "../parts/derived.ts";
import { InnerLink } from "../parts/links.tsx";
import { visibleText, TerminalText } from "../parts/text.tsx";
import { AgentTile, Tile } from "../parts/status.tsx";

/** The server refuses less: a single letter is in nearly every message. */
export const isSearchable = (q: string): boolean => [...q].length >= 2;
const LOOK_AFTER_MS = 250;
const PAGE = 30;
const FIRST_FINDS = 3;
/** So few that the match is visible on a phone. */
const BEFORE_CHARS = 24;
const ROLES = [
  { value: "assistant", label: "Agents" },
  { value: "user", label: "You" },
] as const;
/** By the number of days before today. */
const TIMES = [
  ["", "Any time"],
  ["0", "Today"],
  ["6", "Last 7 days"],
  ["29", "Last 30 days"],
] as const;

/**
 * Searches once the typing pauses; null where there is nothing to search for. `narrowed` must stay the same
 * object while its values are the same.
 */
export function useMessageSearch(
  typed: string | null,
  narrowed: Omit<MessageHitsQuery, "q">,
): MessageHits | null {
  const workspace = useWorkspace();
  const q = typed?.trim() ?? "";
  const isAsked = workspace !== null && isSearchable(q);
  const begin = () =>
    isAsked ? { q, narrowed, hits: workspace.searchMessages({ q, ...narrowed }) } : null;
  // Back to the results needs no pause.
  const [search, setSearch] = useState(begin);
  useEffect(() => {
    if (!isAsked || (search?.q === q && search.narrowed === narrowed)) return;
    const timer = setTimeout(() => setSearch(begin), LOOK_AFTER_MS);
    return () => clearTimeout(timer);
  }, [q, isAsked, workspace, narrowed]);
  const current = isAsked && search?.q === q ? search.hits : null;
  useWatch(current);
  // A search loads its pages by itself: stop it once nobody waits for it.
  useEffect(() => () => current?.clear(), [current]);
  return current;
}

/** Below the panes of All: messages with the searched words, by agent, the newest first. */
export function MessageResults({ search }: { readonly search: string }): JSX.Element | null {
  const [role, setRole] = useState<"assistant" | "user" | null>(null);
  const { clock } = useBrowser();
  const [time, setTime] = useState("");
  const narrowed = useMemo(() => {
    const after = time === "" ? null : midnightBefore(clock.now.peek(), Number(time));
    return { role, after, limit: PAGE };
  }, [role, time]);
  const hits = useMessageSearch(search, narrowed);
  const today = useToday();
  if (hits === null) return null;
  const items = hits.items.value;
  // `groupBy` keeps the order: the agent with the newest message comes first.
  const agents = [...Map.groupBy(items ?? [], ({ agent }) => agent.id)];
  const from = hits.retainedFrom.value;
  return (
    <Section
      title="Said"
      end={
        items !== null &&
        items.length > 0 && (
          <span class="numbers">
            {`${hits.hasMore.value ? "more than " : ""}${items.length} in ${count(agents.length, "agent", "agents")}`}
          </span>
        )
      }
    >
      <div class="said-filters chips flex scrolls-x gap-8">
        <Chips
          label="Filter what was said"
          all={{ label: "All" }}
          chips={ROLES}
          chosen={role}
          onChoose={setRole}
        />
        <ChipSelect label="Time" options={TIMES} chosen={time} onChoose={setTime} />
      </div>
      <QueryStatus query={hits} />
      {items?.length === 0 && <Empty title={`Nothing said “${search.trim()}”`} role="status" />}
      {agents.map(
        ([id, [first, ...others]]) =>
          first && <AgentHits key={id} first={first} finds={[first, ...others]} />,
      )}
      <OlderButton list={hits} label="Find older" />
      {items !== null && !hits.hasMore.value && from !== null && (
        <p class="list-end fs-12 text-2 centred">Kept since {dayWithin(from, today)}</p>
      )}
    </Section>
  );
}

/** The agent by its pane's current name and status, or by its log where it is in no pane. */
function useSpeaker({ agent }: SearchHit) {
  const { config, panes } = useServer();
  const { id, pane_id, runtime, title } = agent;
  const pane = pane_id === null ? null : panes.find(pane_id);
  const program = config.labels.value[runtime] ?? runtime;
  return {
    name: pane?.name ?? (title || id),
    ending: hasEnded(agent) ? ", ended" : "",
    program,
    speakerOf: ({ role }: SearchHit["find"]) => (role === "user" ? "You" : program),
    tile:
      pane === null ? (
        <AgentTile agent={agent} shape={appearanceOfAgent(agent)} />
      ) : (
        <Tile pane={pane} status />
      ),
  };
}

function AgentHits(props: {
  readonly first: SearchHit;
  readonly finds: readonly SearchHit[];
}): JSX.Element {
  const { first, finds } = props;
  const { name, ending, program, speakerOf, tile } = useSpeaker(first);
  const [isOpen, setOpen] = useState(false);
  const shown = isOpen ? finds : finds.slice(0, FIRST_FINDS);
  return (
    <div class="mb-12">
      <div class="flex gap-12 pad mb-12">
        {tile}
        <span class="grid grow">
          <b class="truncate">
            <TerminalText text={name} />
          </b>
          <span class="truncate fs-13 text-2">{program + ending}</span>
        </span>
      </div>
      <ul class="gutter mb-4 surface round-3 edge-line ruled">
        {shown.map(({ find }) => (
          <HitItem key={find.id} find={find} speaker={speakerOf(find)} />
        ))}
      </ul>
      {finds.length > shown.length && (
        <Button tone="plain" class="gutter" onClick={() => setOpen(true)}>
          {`${count(finds.length - shown.length, "more", "more")} in this agent`}
        </Button>
      )}
    </div>
  );
}

export function MessageHitRow({ hit }: { readonly hit: SearchHit }): JSX.Element {
  const { find } = hit;
  const { name, ending, speakerOf, tile } = useSpeaker(hit);
  return (
    <>
      {tile}
      <span class="grow">
        <span class="flex baseline between gap-12 fs-13 text-2">
          <span class="truncate">
            <TerminalText as="b" text={name} class="fs-15 text-1" />{" "}
            <TerminalText text={speakerOf(find) + ending} />
          </span>
          <time class="rigid fs-12 numbers">{momentText(find.created_at)}</time>
        </span>
        <HitText find={find} />
      </span>
    </>
  );
}

export function HitItem({ find, speaker }: Pick<SearchHit, "find"> & { readonly speaker: string }) {
  return (
    <li>
      <InnerLink class="said-find grid tap" hash={agentHash(find.agent_id, find.id)}>
        <span class="flex between gap-12">
          <b>{speaker}</b>
          <time class="fs-12 numbers text-3">{momentText(find.created_at)}</time>
        </span>
        <HitText find={find} />
      </InnerLink>
    </li>
  );
}

/** The match, marked, with some text around it. */
function HitText({ find }: Pick<SearchHit, "find">): JSX.Element {
  const { before, match, after } = find;
  return (
    <span class="said-text clamp untrusted fs-13 prose anywhere text-2" dir="auto">
      {visibleText(endOf(before))}
      <mark>{visibleText(match)}</mark>
      {visibleText(after)}
    </span>
  );
}

function endOf(before: string): string {
  const letters = [...before];
  return letters.length <= BEFORE_CHARS ? before : `…${letters.slice(-BEFORE_CHARS).join("")}`;
}
