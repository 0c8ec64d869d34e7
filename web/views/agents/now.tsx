import type { ComponentChildren, JSX } from "preact";
import { useState } from "preact/hooks";
import { isOver, isWaiting } from "../../model/lifecycle.ts";
import { changeLines } from "../../../src/protocol/change-lines.ts";
import type { Provenance } from "../../../src/protocol/agents.ts";
import type { SeenAgent, SeenContext, SeenGroup } from "../../../src/protocol/tolerant-agents.ts";
import { useBrowser } from "../../state/client.ts";
import { Button } from "../../ui/button.tsx";
import { Icon, StatusIcon } from "../../ui/icons.tsx";
import { timeOfDay, waitText } from "../../words/common.ts";
import { useDerived } from "../parts/derived.ts";
import { TerminalText } from "../parts/text.tsx";
import { Changes, GroupNotes, MarkButton } from "../queue/news.tsx";
import { useGroup, usePaneOf } from "./use.ts";

const SHOWN_DONE = 2;

/** What changed since the last review, and what is known of its work; nothing is said twice. */
export function AgentNow({ agent }: { readonly agent: SeenAgent }): JSX.Element {
  const pane = usePaneOf(agent);
  const group = useGroup(agent.id);
  const since = group?.has_changes === true ? group : null;
  return (
    <>
      {since !== null && <Since group={since} />}
      <Facts
        agent={agent}
        isWaiting={isWaiting(agent, pane)}
        isSaid={(id) => since?.changes.completed?.some((item) => item.id === id) ?? false}
      />
    </>
  );
}

function Since({ group }: { readonly group: SeenGroup }): JSX.Element {
  const { clock } = useBrowser();
  const at = group.reviewed_snapshot_at ?? group.reviewed_at;
  const ago = useDerived(() => waitText(clock.now.value - (at ?? 0)), [at]);
  // Goal, task, next step and what blocks it stand below as they are now.
  const { completed, decisions_resolved, resolved_blockers } = group.changes;
  const changes = {
    ...(completed && { completed }),
    ...(decisions_resolved && { decisions_resolved }),
    ...(resolved_blockers && { resolved_blockers }),
  };
  return (
    <section class="panel" data-acts>
      <h2 class="flex baseline between gap-12">
        {at === null ? "Not reviewed yet" : "Since your last review"}
        {at !== null && (
          <span class="regular numbers text-2">{`${timeOfDay(at)}, ${ago} ago`}</span>
        )}
      </h2>
      <GroupNotes group={group} />
      <Changes lines={changeLines(changes)} />
      <div class="actions">
        <MarkButton agentId={group.agent_id} />
      </div>
    </section>
  );
}

/** Unknown is said as unknown: nothing is guessed from what is not there. */
export function Facts(props: {
  readonly agent: SeenAgent;
  /** It goes on once a person has answered. */
  readonly isWaiting?: boolean;
  /** What is done and stands above already. */
  readonly isSaid?: (id: string) => boolean;
}): JSX.Element {
  const { agent, isWaiting: waiting = false, isSaid = () => false } = props;
  const { context } = agent;
  const { blockers, progress } = context;
  // A plan that is known and blocked by nothing is another thing than no plan.
  const hasPlan = progress !== null || blockers.length > 0;
  return (
    <section class="panel">
      <div class="now-facts grid gap-4">
        <Fact title="Goal" source={sourceOf(context, "goal")}>
          <Known text={context.goal} />
        </Fact>
        <Fact
          title={isOver(agent) ? "Last task" : "Now"}
          source={sourceOf(context, "current_task")}
        >
          <Known text={context.current_task} />
          {progress !== null && (
            <div class="progress flex gap-12 mt-4 fs-13 numbers">
              <progress
                class="grow"
                max={progress.total}
                value={progress.completed}
                aria-label="Progress"
              />
              <b>{`${progress.completed} of ${progress.total}`}</b>
            </div>
          )}
        </Fact>
        <Fact title="Blocked by" source={sourceOf(context, "blockers")}>
          {blockers.length > 0 || waiting ? (
            <ul class="changes">
              {waiting && (
                <li>
                  <StatusIcon shape="needs_input" />
                  Your answer
                </li>
              )}
              {blockers.map(({ id, title }) => (
                <li key={id} class="blocked">
                  <Icon name="blocked" class="small" />
                  <TerminalText text={title} />
                </li>
              ))}
            </ul>
          ) : (
            <p class="fs-15 text-3">{hasPlan ? "Nothing" : "Not known yet"}</p>
          )}
        </Fact>
        <Fact title="Next" source={sourceOf(context, "next_action")}>
          <Known text={context.next_action} />
        </Fact>
        <Fact title="Said last">
          <Known text={context.progress_summary} />
        </Fact>
        <Done items={context.completed_items.filter(({ id }) => !isSaid(id))} />
      </div>
      <p class="footnote rule mt-12 fs-12 text-3">
        Read from its log. It shows what was said and planned, not what was thought.
      </p>
    </section>
  );
}

const Known = ({ text }: { readonly text: string | null }): JSX.Element => (
  <p class={`fs-15 prose lines ${text === null ? "text-3" : ""}`}>
    <TerminalText text={text ?? "Not known yet"} />
  </p>
);

/** Which words of its log a field was read from; a source of a newer server goes unsaid. */
const SOURCES: Readonly<Record<string, string>> = {
  visible_user_message: "your message",
  visible_assistant_message: "its message",
  runtime_plan: "its plan",
  runtime_task: "its task",
  runtime_title: "its title",
} satisfies Record<Provenance, string>;

function sourceOf(
  context: SeenContext,
  field: "goal" | "current_task" | "next_action" | "blockers",
): string {
  const { [field]: value, provenance } = context;
  return value === null || value.length === 0 ? "" : (SOURCES[provenance[field] ?? ""] ?? "");
}

function Fact(props: {
  readonly title: string;
  readonly source?: string;
  readonly children: ComponentChildren;
}): JSX.Element {
  const { title, source = "", children } = props;
  return (
    <>
      <h2 class="flex baseline between gap-12 fs-13 bold text-2">
        {title}
        {source !== "" && <span class="fs-12 regular">{source}</span>}
      </h2>
      {children}
    </>
  );
}

function Done(props: { readonly items: SeenContext["completed_items"] }): JSX.Element | null {
  const [isOpen, setOpen] = useState(false);
  const newest = props.items.toReversed();
  const shown = isOpen ? newest : newest.slice(0, SHOWN_DONE);
  if (newest.length === 0) return null;
  return (
    <Fact title="Done" source={String(newest.length)}>
      <ul class="changes">
        {shown.map(({ id, title }) => (
          <li key={id} class="done">
            <StatusIcon shape="ok" />
            <TerminalText text={title} />
          </li>
        ))}
        {newest.length > SHOWN_DONE && (
          <li class="changes-more">
            <Button tone="plain" aria-expanded={isOpen} onClick={() => setOpen(!isOpen)}>
              {isOpen ? "Fewer" : `${newest.length - SHOWN_DONE} more`}
            </Button>
          </li>
        )}
      </ul>
    </Fact>
  );
}
