import type { JSX } from "preact";
import type { Card } from "../../model/queue.ts";
import { useBrowser, useServer } from "../../state/client.ts";
import { Button, Icon, StatusIcon } from "../../ui/button.tsx";
import { count } from "../../words/common.ts";
import { momentText } from "../../words/times.ts";
import { useToday } from "../parts/derived.ts";
import { TerminalText } from "../parts/text.tsx";

/** The word and the icon before a line; without an icon it is a tick. */
export const KINDS = {
  blocked: { word: "Blocked", icon: "blocked" },
  goal: { word: "New goal", icon: "goal" },
  decided: { word: "Decided", icon: "decided" },
  unblocked: { word: "Unblocked", icon: null },
  finished: { word: "Finished.", icon: null },
  done: { word: "Done:", icon: null },
  now: { word: "Now", icon: "active" },
  next: { word: "Next", icon: "next" },
  said: { word: "Said", icon: "speech" },
  works_for: { word: "Goal", icon: "goal" },
  unknown: { word: "", icon: null },
} as const;

interface Line {
  readonly kind: keyof typeof KINDS;
  readonly text: string;
}

/** One line, which unfolds. It stands below the answers, so that news do not move them. */
export function AgentNews(props: {
  readonly card: Card;
  readonly isOpen: boolean;
}): JSX.Element | null {
  const { card, isOpen } = props;
  const { lines, news, newer } = card;
  const newsTexts = new Set(news.map(({ text }) => text));
  const known = lines.flatMap(({ kind, text }): Line[] =>
    newsTexts.has(text) ? [] : [{ kind: kind === "goal" ? "works_for" : kind, text }],
  );
  const quiet = (["now", "goal", "said"] as const)
    .map((kind) => lines.find((line) => line.kind === kind))
    .find((line) => line !== undefined);
  return (
    <>
      <CardNotes card={card} />
      {news.length + known.length > 0 && (
        <details class="news" open={isOpen}>
          <summary class="flex gap-8 fs-13 text-2 tap">
            {newer > 0 && <b class="rigid numbers">{`${newer} new`}</b>}
            {newer > 0 && quiet !== undefined && "·"}
            {quiet !== undefined && (
              <TerminalText class="truncate" text={`${quiet.kind}: ${quiet.text}`} />
            )}
            <Icon name="down" class="small push" />
          </summary>
          <NewsList lines={[...news, ...known]} />
        </details>
      )}
    </>
  );
}

export function NewsList({ lines }: { readonly lines: readonly Line[] }): JSX.Element | null {
  if (lines.length === 0) return null;
  return (
    <ul class="changes">
      {lines.map(({ kind, text }, index) => {
        const { word, icon } = KINDS[kind];
        return (
          <li key={`${kind} ${index}`} class={kind}>
            {icon ? <Icon name={icon} class="small text-3" /> : <StatusIcon shape="ok" />}
            <span>
              {/* Its tick says the same; the word is for screen readers. */}
              <b class={kind === "done" ? "visually-hidden" : ""}>{word}</b>{" "}
              <TerminalText text={text} />
            </span>
          </li>
        );
      })}
    </ul>
  );
}

/** Why news of an agent may be missing. */
export function CardNotes({ card: { agent, since } }: { readonly card: Card }): JSX.Element | null {
  const { config } = useServer();
  const days = config.current.value?._info.capabilities.agent_context_v1.retention_days ?? 0;
  const today = useToday();
  return (
    <>
      {agent?.truncated === true && (
        <p class="fine">
          <Icon name="clock" class="small" />
          {`Your last look is older than what is kept (${count(days, "day", "days")}). This counts from ${momentText(agent.reviewed_at ?? since, today)}.`}
        </p>
      )}
      {agent?.degraded === true && (
        <p class="fine stale">
          <Icon name="info" class="small" />
          Parts of its log could not be read, so something may be missing.
        </p>
      )}
    </>
  );
}

/** A question of an agent that its screen does not show: it can be answered only in its pane. */
export function AgentAsks(props: {
  readonly card: Card;
  /** Its screen asks something, which stands above it in the card. */
  readonly isAbove: boolean;
}): JSX.Element | null {
  const { card, isAbove } = props;
  const { router } = useBrowser();
  const { panes } = useServer();
  const { asks, about, pane_id } = card;
  const after = asks !== null && asks.more > 0 && (
    <p class="fine">{`${count(asks.more, "more question", "more questions")} after this`}</p>
  );
  if (isAbove) return <>{after}</>;
  return (
    <section class="decision rule">
      <h3 class="question" tabIndex={-1}>
        <TerminalText text={about?.text ?? ""} />
      </h3>
      {pane_id === null || panes.find(pane_id) === null ? (
        <p class="hint">Answer this one in the terminal.</p>
      ) : (
        <div class="actions">
          <Button onClick={() => router.goPane(pane_id)}>Open pane</Button>
        </div>
      )}
      {after}
    </section>
  );
}
