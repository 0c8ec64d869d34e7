import type { ComponentChildren, JSX } from "preact";
import { useEffect } from "preact/hooks";
import type { SeenAgent, SeenMessage } from "../../../src/protocol/tolerant-agents.ts";
import { lastLinesOf } from "../../model/excerpt.ts";
import type { Pane } from "../../model/pane.ts";
import type { Card } from "../../model/queue/cards.ts";
import { changeLines } from "../../../src/protocol/change-lines.ts";
import { saidSince } from "../../model/chat/reviewed.ts";
import type { Workspace } from "../../state/server/agents/workspace.ts";
import { useBrowser, useServer } from "../../state/client.ts";
import { timeOfDay, waitText } from "../../words/common.ts";
import { useDerived } from "../parts/derived.ts";
import { Lines } from "../parts/excerpt.tsx";
import { TerminalText } from "../parts/text.tsx";
import { CardNotes } from "./agent.tsx";
import { Changes } from "./changes.tsx";
import { NewerChanges } from "./newer.tsx";
import { useWatch, useSettled } from "../agents/use.ts";

/** As many as fit beside what changed and what was said. */
const SCREEN_LINES = 14;

function Section(props: {
  readonly title: string;
  readonly end?: ComponentChildren;
  readonly children: ComponentChildren;
}): JSX.Element {
  const { title, end, children } = props;
  return (
    <section>
      <h2 class="beside-title">
        {title}
        {end !== undefined && <span class="panel-end">{end}</span>}
      </h2>
      {children}
    </section>
  );
}

interface SectionProps {
  readonly workspace: Workspace;
  readonly card: Card;
}

export function ChangedSection({ workspace, card }: SectionProps): JSX.Element {
  const { clock } = useBrowser();
  const { drawn } = card;
  const at = drawn.reviewed_snapshot_at ?? drawn.reviewed_at;
  const ago = useDerived(() => waitText(clock.now.value - (at ?? 0)), [at]);
  return (
    <Section
      title={at === null ? "What it did" : `Changed since ${timeOfDay(at)}`}
      end={at === null ? undefined : ago}
    >
      <CardNotes card={card} />
      {changeLines(drawn.changes).length === 0 ? (
        <p class="beside-none">Nothing has changed since your last look.</p>
      ) : (
        <Changes changes={drawn.changes} isWhole />
      )}
      <NewerChanges workspace={workspace} card={card} />
    </Section>
  );
}

/** What its terminal shows now; it is followed for as long as the card is on the screen. */
export function ScreenSection({ pane }: { readonly pane: Pane }): JSX.Element {
  const { router } = useBrowser();
  const { panes } = useServer();
  useEffect(() => panes.showAlso([pane.id]), [pane.id]);
  const lines = lastLinesOf(pane, SCREEN_LINES);
  return (
    <Section
      title="On its screen now"
      end={
        <button type="button" class="beside-link" onClick={() => router.goPane(pane.id)}>
          Open pane
        </button>
      }
    >
      {lines.length === 0 ? (
        <p class="beside-none">Its screen is empty.</p>
      ) : (
        <Lines lines={lines} />
      )}
    </Section>
  );
}

/** What was said since the last review, in its words; else what it said last. */
export function SaidSection(
  props: SectionProps & {
    /** All that was said, not only the last of it. */
    readonly isWhole: boolean;
  },
): JSX.Element | null {
  const { workspace, card, isWhole } = props;
  const { agent } = card.latest ?? card.drawn;
  const { chat } = workspace.agent(agent.id);
  // Who goes through the list by keys asks for no chat on the way.
  useWatch(useSettled(card.agentId) && isWhole ? chat : null);
  const messages = isWhole ? saidSince(chat.messages.value ?? [], chat.facts.value) : [];
  if (messages.length > 0)
    return (
      <Section title="Said since then">
        <ol class="messages said-since">
          {messages.map((message) => (
            <SaidMessage key={message.id} message={message} agent={agent} />
          ))}
        </ol>
      </Section>
    );
  const { progress_summary } = agent.context;
  if (progress_summary === null || progress_summary === "") return null;
  return (
    <Section title="Said last">
      <p class="said">
        <TerminalText text={progress_summary} />
      </p>
    </Section>
  );
}

function SaidMessage(props: {
  readonly message: SeenMessage;
  readonly agent: SeenAgent;
}): JSX.Element {
  const { message, agent } = props;
  const { config } = useServer();
  const isMine = message.role === "user";
  const program = config.labels.value[agent.runtime] ?? agent.runtime;
  return (
    <li class={isMine ? "mine" : ""}>
      <p class="message-head">
        <b>{isMine ? "You" : program}</b>
        <time class="numbers">{timeOfDay(message.created_at)}</time>
      </p>
      <p class={`message-text ${isMine ? "bubble" : ""}`} dir="auto">
        <TerminalText text={message.content} />
      </p>
    </li>
  );
}
