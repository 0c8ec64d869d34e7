import type { JSX } from "preact";
import { useEffect, useLayoutEffect, useMemo, useRef, useState } from "preact/hooks";
import {
  readRecord,
  type SeenAgent,
  type SeenMessage,
} from "../../../src/protocol/tolerant-later.ts";
import {
  keepBlocks,
  partOf,
  streamOf,
  type Block as LineBlock,
  type Line,
  type StreamPart,
} from "../../model/chat/stream.ts";
import type { Pane } from "../../model/pane.ts";
import { usePart, useServer } from "../../state/client.ts";
import type { AgentState } from "../../state/server/agents/agent.ts";
import type { ChatStretch } from "../../state/server/agents/chat.ts";
import { Queries } from "../../state/server/queries.ts";
import { Button, Icon } from "../../ui/button.tsx";
import { Empty } from "../../ui/notice.tsx";
import { count } from "../../words/common.ts";
import { dayWithin } from "../../words/times.ts";
import { hasChanges } from "../pane/head.tsx";
import { withBoundary } from "../parts/boundary.tsx";
import { useToday } from "../parts/derived.ts";
import { ChatLine } from "./chat-line.tsx";
import { useNear } from "../parts/scroll.tsx";
import { useChatEnd, useNearBlock, useScrollAnchor } from "./chat-place.ts";
import { useChange, usePaneOf, useWatch } from "./use.ts";

/** Drawn at once; they fill a screen. */
const FIRST_BLOCKS = 2;

/** Steps, events and decisions are loaded for the stretch of messages that is shown. */
function useLines(
  state: AgentState,
  { pane_id: id, pending_decisions_count: open }: SeenAgent,
  pane: Pane | null,
  stretch: ChatStretch,
): readonly Line[] {
  const { steps, timeline, decisions, chat } = state;
  const { query } = usePart(Queries);
  const acts =
    id === null ? null : query("GET /api/acts", { query: { pane: id }, read: readRecord });
  useWatch(steps);
  useWatch(timeline);
  // A decision in the timeline is named by the option that was chosen.
  useWatch(decisions);
  useWatch(acts);
  useChange(`${pane?.act?.key} ${pane?.act?.state}`, () => acts?.invalidate());
  const { messages, older, newer } = stretch;
  const known = steps.value.value;
  useEffect(() => void steps.cover(messages, newer !== null), [messages, newer, known]);
  const events = timeline.items.value ?? [];
  const begin = messages[0]?.created_at ?? 0;
  useEffect(
    () => void timeline.reach(({ created_at }) => created_at <= begin),
    [timeline.value.value, begin],
  );
  const ownActs = acts?.value.value?.acts;
  const facts = chat.facts.value;
  const lines = useRef<readonly Line[]>([]);
  return useMemo(() => {
    const reviewedAt = facts?.reviewed_snapshot_at ?? facts?.reviewed_at ?? null;
    const source = {
      ...{ messages, hasOlder: older !== null, hasNewer: newer !== null },
      ...{ steps: known?.steps ?? [], events, open, acts: ownActs ?? [], reviewedAt },
    };
    lines.current = streamOf(source, lines.current);
    return lines.current;
  }, [messages, older, newer, known, events, ownActs, open, facts]);
}

/** At its end the chat follows new messages; away from it nothing moves. */
export function Stream(props: {
  readonly state: AgentState;
  readonly agent: SeenAgent;
  readonly stretch: ChatStretch;
  readonly part: StreamPart | null;
  readonly program: string;
  readonly toEnd: () => void;
}): JSX.Element {
  const { state, agent, stretch, part, program } = props;
  const { chat } = state;
  const place = useRef<HTMLDivElement>(null);
  const kept = useRef<readonly LineBlock[]>([]);
  const lastSeen = useRef<string | null>(null);
  const [unfolded] = useState(() => new Set<string>());
  const server = useServer();
  const pane = usePaneOf(agent);
  const paneId = pane !== null && hasChanges(server, pane) ? pane.id : null;
  const lines = useLines(state, agent, pane, stretch);
  const isLive = stretch.newer === null;
  const end = useChatEnd(place);
  const toEnd = isLive ? end.go : props.toEnd;
  const isAtEnd = end.isThere && isLive;
  chat.isFollowed = isAtEnd;
  if (isAtEnd) lastSeen.current = stretch.messages.at(-1)?.id ?? null;
  const found = chat.at.value;
  const blocks = useMemo(() => {
    kept.current = keepBlocks(kept.current, partOf(lines, part), found);
    return kept.current;
  }, [lines, part, found]);
  const isWhole =
    stretch.older === null &&
    state.steps.value.value !== null &&
    state.timeline.items.value !== null;
  const newer = countBehind(stretch.messages, lastSeen.current);
  useScrollAnchor(place, blocks, isAtEnd);
  const sendStep = server.answers.inputOutcome(agent.pane_id ?? "").value?.step;
  useEffect(() => {
    if (sendStep === "sending") toEnd();
  }, [sendStep]);
  const foundAt = blocks.findIndex((block) => block.lines.some(({ key }) => key === found));
  const shownAt = found === null ? blocks.length - 1 : foundAt;
  return (
    <div ref={place}>
      <ChatStart state={state} stretch={stretch} />
      {part !== null && isWhole && blocks.length === 0 && (
        <Empty title={`No ${part} yet`} isBrief />
      )}
      {blocks.map((block, i) => (
        <Block
          key={block.key}
          {...{ block, program, found, unfolded, paneId }}
          isFirst={Math.abs(i - shownAt) < FIRST_BLOCKS}
        />
      ))}
      {!isLive && <LoadMore chat={chat} end="newer" label="Newer messages" />}
      {(!isLive || newer > 0) && (
        <p class="newer-messages centred">
          <Button tone={isLive ? "primary" : undefined} size="small" onClick={toEnd}>
            <Icon name="down" class="small" />
            {isLive ? count(newer, "new message", "new messages") : "To the newest"}
          </Button>
        </p>
      )}
    </div>
  );
}

/** How many messages have come since the reader was at the end. */
function countBehind(messages: readonly SeenMessage[], lastId: string | null): number {
  const last = messages.findLastIndex(({ id }) => id === lastId);
  return last < 0 ? 0 : messages.length - last - 1;
}

const Block = withBoundary(
  "div",
  function Block(props: {
    readonly block: LineBlock;
    readonly program: string;
    readonly paneId: string | null;
    readonly isFirst: boolean;
    /** The message that the chat is opened around. */
    readonly found: string | null;
    readonly unfolded: Set<string>;
  }): JSX.Element {
    const { block, program, paneId, isFirst, found, unfolded } = props;
    const place = useRef<HTMLDivElement>(null);
    const isDrawn = useNearBlock(place, isFirst);
    const isFound = block.key === found;
    useLayoutEffect(() => {
      if (isFound) place.current?.querySelector("li")?.scrollIntoView({ block: "center" });
    }, [isFound]);
    return (
      <div ref={place} class="message-block" data-at={block.key}>
        {isDrawn && (
          <ol class="messages grid">
            {block.lines.map((line) => (
              <ChatLine
                key={line.key}
                {...{ line, program, paneId, unfolded }}
                isFound={line.key === found}
              />
            ))}
          </ol>
        )}
      </div>
    );
  },
);

function LoadMore(props: {
  readonly chat: AgentState["chat"];
  readonly end: "older" | "newer";
  readonly label: string;
}): JSX.Element {
  const { chat, end, label } = props;
  const place = useRef<HTMLParagraphElement>(null);
  const messages = chat.shown.value?.messages;
  const edge = (end === "older" ? messages?.[0] : messages?.at(-1))?.id ?? "";
  const mayAsk = !chat.isLoading.value && chat.failure.value === null;
  const grow = () => void chat[end]();
  useNear(place, (isNear) => isNear && mayAsk && grow(), mayAsk && edge);
  return (
    <p class="older" ref={place}>
      <Button tone="plain" disabled={chat.isLoading.value} onClick={grow}>
        {label}
      </Button>
    </p>
  );
}

function ChatStart(props: {
  readonly state: AgentState;
  readonly stretch: ChatStretch;
}): JSX.Element {
  const today = useToday();
  const { chat } = props.state;
  if (props.stretch.older !== null)
    return <LoadMore chat={chat} end="older" label="Older messages" />;
  const facts = chat.facts.value;
  const from = facts?.retained_from ?? null;
  return (
    <p class="list-end fs-12 text-2 centred">
      {facts?.history_truncated === true
        ? "Older messages are no longer kept."
        : "The first message."}
      {from !== null && ` Kept since ${dayWithin(from, today)}.`}
    </p>
  );
}
