import type { ComponentChildren, JSX } from "preact";
import { SHIELD_MS } from "../../model/guard.ts";
import type { Card, Slot } from "../../model/queue.ts";
import { useBrowser, usePart, useServer } from "../../state/client.ts";
import { Marks } from "../../state/server/marks.ts";
import { Button, IconButton } from "../../ui/button.tsx";
import { Icon, StatusIcon } from "../../ui/icons.tsx";
import { Notice } from "../../ui/notice.tsx";
import { count, timeOfDay } from "../../words/common.ts";
import { usePress, useSteadyTarget } from "../answer/press.ts";
import { useDerived } from "../parts/derived.ts";
import { TerminalText } from "../parts/text.tsx";
import { nextBelow, useOffer } from "./offer.ts";

/** Said before what is new of an agent, and the shape before it; what has none is done with. */
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

/**
 * What is new of the work of an agent, its goal, what it does and what it said: one line, which unfolds.
 * It stands below the answers, so that nothing that comes moves them.
 */
export function AgentNews(props: {
  readonly card: Card;
  readonly isOpen: boolean;
}): JSX.Element | null {
  const { card, isOpen } = props;
  const { lines, news, newer } = card;
  const isTold = new Set(news.map(({ text }) => text));
  const known = lines.flatMap(({ kind, text }): Line[] =>
    isTold.has(text) ? [] : [{ kind: kind === "goal" ? "works_for" : kind, text }],
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
          <Changes lines={[...news, ...known]} />
        </details>
      )}
    </>
  );
}

export function Changes({ lines }: { readonly lines: readonly Line[] }): JSX.Element | null {
  if (lines.length === 0) return null;
  return (
    <ul class="changes">
      {lines.map(({ kind, text }, index) => {
        const { word, icon } = KINDS[kind];
        return (
          <li key={`${kind} ${index}`} class={kind}>
            {icon ? <Icon name={icon} class="small text-3" /> : <StatusIcon shape="ok" />}
            <span>
              {/* Where the shape says it all, the word is for those who do not see it. */}
              <b class={kind === "done" ? "visually-hidden" : ""}>{word}</b>{" "}
              <TerminalText text={text} />
            </span>
          </li>
        );
      })}
    </ul>
  );
}

/** What a person should know before trusting what is said. */
export function CardNotes({ card: { agent, since } }: { readonly card: Card }): JSX.Element | null {
  const { config } = useServer();
  const days = config.current.value?._info.capabilities.agent_context_v1.retention_days ?? 0;
  return (
    <>
      {agent?.truncated === true && (
        <p class="fine">
          <Icon name="clock" class="small" />
          {`Your last look is older than what is kept (${count(days, "day", "days")}). This counts from ${timeOfDay(agent.reviewed_at ?? since)}.`}
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

/**
 * What an agent asks and its screen does not show: it can be answered only where it is shown, so one
 * line says it and leads to its pane.
 */
export function AgentAsks(props: {
  readonly card: Card;
  /** Its screen asks something, which stands above. */
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

/**
 * Marks as reviewed what was drawn of an agent when the finger came down; one that waits goes on
 * waiting. `isFixed`: it keeps its place where there is nothing to mark.
 */
export function MarkButton(props: {
  readonly card: Card;
  readonly isFixed?: boolean;
  readonly onDone?: (() => void) | undefined;
  readonly children?: ComponentChildren;
}): JSX.Element | null {
  const { card, isFixed = false, onDone, children } = props;
  const server = useServer();
  const { messages } = useBrowser();
  const marks = usePart(Marks);
  const step = marks.of(card);
  const isOpen = card.snapshot_id !== null && step !== "marking" && step !== "reviewed";
  const isOff = !isOpen || !server.may("answer");
  const steady = useSteadyTarget(card.snapshot_id ?? "");
  const mark = async (seen: Card, goOn: () => void) => {
    if (!(await marks.mark([seen]))) return;
    if (!marks.areMade) messages.say("A mark cannot be taken back; the chat keeps everything.");
    marks.areMade = true;
    goOn();
  };
  const see = () => {
    // What has come under the finger this moment was not read.
    const isRead = performance.now() - steady.since() >= SHIELD_MS;
    const goOn = onDone ?? nextBelow(card.key);
    return { card: isRead ? card : null, goOn };
  };
  const release = (seen: ReturnType<typeof see>) => {
    if (seen.card !== null) void mark(seen.card, seen.goOn);
  };
  const press = usePress(see, release);
  useOffer(card.key, "mark", isOff ? null : () => release(see()));
  if (!isFixed && isOff && step === null) return null;
  return (
    <>
      {step === "failed" && (
        <Notice icon="warning" tone="error" title="Not marked" isAlert>
          The server did not answer.
        </Notice>
      )}
      <Button tone="plain" class={step === "reviewed" ? "marked" : ""} disabled={isOff} {...press}>
        <Icon name="check" />
        {step === "marking" ? "Marking" : "Reviewed"}
        {step === null && children}
      </Button>
    </>
  );
}

/** At the end of a row of what is finished: one tap, and it goes. */
export function AgentTick({ paneId }: { readonly paneId: string }): JSX.Element | null {
  const server = useServer();
  const { queue } = server;
  const marks = usePart(Marks);
  const card = useDerived(() => queue.card(`pane:${paneId}`), [paneId]);
  if (card === null || card.snapshot_id === null || !server.may("answer")) return null;
  const step = marks.of(card);
  return (
    <IconButton
      icon="check"
      class="row-tick"
      label={`Reviewed: ${card.title}`}
      disabled={step === "marking" || step === "reviewed"}
      onClick={() => void marks.mark([card])}
    />
  );
}

/** Takes what stands in the rows, and nothing that has come since they were drawn. */
export function MarkFinished({ slots }: { readonly slots: readonly Slot[] }): JSX.Element | null {
  const server = useServer();
  const marks = usePart(Marks);
  const open = slots.flatMap(({ card }) => (card.snapshot_id === null ? [] : card));
  if (open.length < 2 || !server.may("answer")) return null;
  return (
    <div class="actions">
      <Button tone="plain" onClick={() => void marks.mark(open)}>
        <Icon name="check" />
        All reviewed
      </Button>
    </div>
  );
}
