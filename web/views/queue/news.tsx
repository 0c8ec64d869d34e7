import type { ComponentChildren, JSX } from "preact";
import {
  changeLines,
  type ChangeKind,
  type ChangeLine,
} from "../../../src/protocol/change-lines.ts";
import type { SeenGroup } from "../../../src/protocol/tolerant-agents.ts";
import { SHIELD_MS } from "../../model/guard.ts";
import { agentOf, isMarkable } from "../../model/queue/order.ts";
import type { Slot } from "../../model/queue/order.ts";
import { useBrowser, useServer } from "../../state/client.ts";
import { Button, IconButton } from "../../ui/button.tsx";
import { Icon, type IconName, StatusIcon } from "../../ui/icons.tsx";
import { Notice } from "../../ui/notice.tsx";
import { count, common, timeOfDay } from "../../words/common.ts";
import { changes } from "../../words/queue.ts";
import { nameOf, useGroup, useWorkspace } from "../agents/use.ts";
import { usePress } from "../answer/press.ts";
import { useSteadyTarget } from "../answer/steady.ts";
import { usePane } from "../parts/derived.ts";
import { TerminalText } from "../parts/text.tsx";
import { nextBelow } from "./card.tsx";

/** A card tells so much of what is new; the page of its agent has all. */
const MAX_NEW = 4;

type LineKind = ChangeKind | "said" | "works_for";
type Line = Omit<ChangeLine, "kind"> & { readonly kind: LineKind };

/**
 * What is new of the work of an agent, its goal, what it does and what it said: one line, which unfolds.
 * It stands below the answers, so that nothing that comes moves them.
 */
export function AgentNews(props: {
  readonly agentId: string;
  readonly isOpen: boolean;
}): JSX.Element | null {
  const { agentId, isOpen } = props;
  const group = useGroup(agentId);
  if (group === null) return null;
  const { goal, current_task, next_action, progress_summary } = group.agent.context;
  const news: readonly Line[] = changeLines(group.changes);
  const told = new Set(news.map(({ text }) => text));
  const known: Line[] = [];
  for (const [kind, text] of [
    ["now", current_task],
    ["works_for", goal],
    ["said", progress_summary],
    ["next", next_action],
  ] as const) {
    if (!text || told.has(text)) continue;
    told.add(text);
    known.push({ kind, text });
  }
  const quiet = [
    ["now", current_task],
    ["goal", goal],
    ["said", progress_summary],
  ].find(([, text]) => text);
  return (
    <>
      <GroupNotes group={group} />
      {news.length + known.length > 0 && (
        <details class="news" open={isOpen}>
          <summary class="flex gap-8 fs-13 text-2">
            {news.length > 0 && <b class="rigid numbers">{`${news.length} new`}</b>}
            {news.length > 0 && quiet !== undefined && "·"}
            {quiet !== undefined && <TerminalText class="truncate" text={quiet.join(": ")} />}
            <Icon name="down" class="small" />
          </summary>
          <Changes lines={[...news.slice(0, MAX_NEW), ...known]} />
        </details>
      )}
    </>
  );
}

/** What has none is done with. */
const SHAPES: Readonly<Partial<Record<LineKind, IconName>>> = {
  blocked: "blocked",
  goal: "goal",
  works_for: "goal",
  decided: "decided",
  now: "active",
  next: "next",
  said: "speech",
};

export function Changes({ lines }: { readonly lines: readonly Line[] }): JSX.Element | null {
  if (lines.length === 0) return null;
  return (
    <ul class="changes">
      {lines.map(({ kind, text }, index) => {
        const shape = SHAPES[kind];
        return (
          <li key={`${kind} ${index}`} class={kind}>
            {shape === undefined ? <StatusIcon shape="ok" /> : <Icon name={shape} class="small" />}
            <span>
              {/* Where the shape says it all, the word is for those who do not see it. */}
              <b class={kind === "done" ? "visually-hidden" : ""}>{changes[kind]}</b>{" "}
              <TerminalText text={text} />
            </span>
          </li>
        );
      })}
    </ul>
  );
}

/** What a person should know before trusting what is said. */
export function GroupNotes({ group }: { readonly group: SeenGroup }): JSX.Element | null {
  const { config } = useServer();
  const days = config.current.value?._info.capabilities.agent_context_v1.retention_days ?? 0;
  const from = group.reviewed_snapshot_at ?? group.reviewed_at ?? group.as_of_snapshot_at ?? 0;
  return (
    <>
      {group.history_truncated && (
        <p class="fine">
          <Icon name="clock" class="small" />
          {`Your last look is older than what is kept (${count(days, "day", "days")}). This counts from ${timeOfDay(from)}.`}
        </p>
      )}
      {group.attention_reasons.includes("extraction_degraded") && (
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
  readonly agentId: string;
  /** What its screen asks, where that stands above. */
  readonly asked: string | null;
}): JSX.Element | null {
  const { agentId, asked } = props;
  const { router } = useBrowser();
  const { panes } = useServer();
  const group = useGroup(agentId);
  const open = group?.decisions ?? [];
  const paneId = group?.agent.pane_id ?? null;
  const other = open.find(({ title }) => title !== asked);
  if (other === undefined) return null;
  const more = open.length - 1;
  const moreQuestions = `${count(more, "more question", "more questions")} after this`;
  if (asked !== null)
    return (
      <p class="fine">
        <TerminalText text={more > 1 ? moreQuestions : `Also open: ${other.title}`} />
      </p>
    );
  return (
    <section class="decision">
      <h3 class="question" tabIndex={-1}>
        <TerminalText text={other.title} />
      </h3>
      {paneId === null || panes.find(paneId) === null ? (
        <p class="hint">Answer this one in the terminal.</p>
      ) : (
        <div class="actions">
          <Button onClick={() => router.goPane(paneId)}>Open pane</Button>
        </div>
      )}
      {more > 0 && <p class="fine">{moreQuestions}</p>}
    </section>
  );
}

/**
 * Marks as reviewed what was drawn of an agent when the finger came down; one that waits goes on
 * waiting. `isFixed`: it keeps its place where there is nothing to mark.
 */
export function MarkButton(props: {
  readonly agentId: string | null;
  readonly isFixed?: boolean;
  readonly onDone?: (() => void) | undefined;
  readonly children?: ComponentChildren;
}): JSX.Element | null {
  const { agentId, isFixed = false, onDone, children } = props;
  const workspace = useWorkspace();
  const { messages } = useBrowser();
  const group = useGroup(agentId);
  const step = group === null ? null : (workspace?.marks.of(group) ?? null);
  const canMark = group !== null && isMarkable(group) && step !== "marking" && step !== "reviewed";
  const steady = useSteadyTarget(group?.as_of_snapshot_id ?? "");
  const mark = async (seen: SeenGroup, goOn: () => void) => {
    if (workspace === null || !(await workspace.marks.mark([seen]))) return;
    if (!workspace.marks.areMade)
      messages.say("A mark cannot be taken back; the chat keeps everything.");
    workspace.marks.areMade = true;
    goOn();
  };
  const press = usePress({
    see: () => {
      // What has come under the finger this moment was not read.
      const isRead = performance.now() - steady.since() >= SHIELD_MS;
      const goOn = onDone ?? nextBelow(document.activeElement ?? document.body);
      return { group: isRead ? group : null, goOn };
    },
    release: (seen) => {
      if (seen.group !== null) void mark(seen.group, seen.goOn);
    },
    holds: false,
  });
  if (!isFixed && !canMark && step === null) return null;
  return (
    <>
      {step === "failed" && (
        <Notice icon="warning" tone="error" title="Not marked" isAlert>
          The server did not answer.
        </Notice>
      )}
      <Button
        tone="plain"
        class={step === "reviewed" ? "marked" : ""}
        disabled={!canMark || workspace?.isDown.value !== false}
        data-mark
        {...press}
      >
        <Icon name="check" />
        {step === "marking" ? "Marking" : "Reviewed"}
        {step === null && children}
      </Button>
    </>
  );
}

/** At the end of a row of what is finished: one tap, and it goes. */
export function AgentTick({ paneId }: { readonly paneId: string }): JSX.Element | null {
  const workspace = useWorkspace();
  const group = useGroup(usePane(paneId).value?.agent_id ?? null);
  if (workspace === null || group === null || !isMarkable(group)) return null;
  const step = workspace.marks.of(group);
  return (
    <IconButton
      icon="check"
      class="row-tick"
      label={`Reviewed: ${nameOf(group.agent, null)}`}
      disabled={step === "marking" || step === "reviewed" || workspace.isDown.value}
      onClick={() => void workspace.marks.mark([group])}
    />
  );
}

/** Takes what stands in the rows, and nothing that has come since they were drawn. */
export function MarkFinished({ slots }: { readonly slots: readonly Slot[] }): JSX.Element | null {
  const workspace = useWorkspace();
  const ids = new Set(slots.map(({ key }) => agentOf(key)));
  const groups = workspace?.review.value.value?.groups ?? [];
  const open = groups.filter((group) => ids.has(group.agent_id) && isMarkable(group));
  if (workspace === null || open.length < 2) return null;
  return (
    <div class="actions">
      <Button
        tone="plain"
        disabled={workspace.isDown.value}
        onClick={() => void workspace.marks.mark(open)}
      >
        <Icon name="check" />
        All reviewed
      </Button>
    </div>
  );
}

/** What is to be reviewed could not be read, or may be old. */
export function ReviewNotice(): JSX.Element | null {
  const workspace = useWorkspace();
  const { clock } = useBrowser();
  if (workspace === null) return null;
  const { review, isDown } = workspace;
  const hasFailed = review.failure.value !== null;
  const shown = review.value.value;
  if (!hasFailed && (shown === null || !isDown.value)) return null;
  const retry = (
    <div class="actions">
      <Button onClick={() => void review.reload()}>{common.retry}</Button>
    </div>
  );
  return (
    <div class="boxed-notice">
      {shown === null ? (
        <Notice icon="warning" tone="error" title="The cards of agents could not be loaded" isAlert>
          The rest of panewatch goes on.
          {retry}
        </Notice>
      ) : (
        <Notice
          icon="clock"
          tone="stale"
          title={`Not updated since ${timeOfDay(Math.min(shown.generated_at, clock.now.value))}`}
        >
          Marks are off until it is read again.
          {retry}
        </Notice>
      )}
    </div>
  );
}
