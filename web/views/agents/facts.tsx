import type { ComponentChildren, JSX } from "preact";
import type { Provenance } from "../../../src/protocol/agents.ts";
import type { SeenAgent, SeenContext } from "../../../src/protocol/tolerant-later.ts";
import { hasEnded, isWaiting } from "../../model/lifecycle.ts";
import type { Card } from "../../model/queue.ts";
import { useBrowser, useServer } from "../../state/client.ts";
import { Gauge } from "../../ui/gauge.tsx";
import { Icon, StatusIcon } from "../../ui/button.tsx";
import { Section } from "../../ui/list.tsx";
import { timeOfDay, waitText } from "../../words/common.ts";
import { useDerived } from "../parts/derived.ts";
import { TerminalText } from "../parts/text.tsx";
import { MarkButton } from "../queue/acts.tsx";
import { CardNotes, NewsList } from "../queue/news.tsx";
import { usePaneOf, useWatch, useWorkspace } from "./use.ts";

/** An item that stands among the news is not listed again below. */
export function AgentFacts({ id }: { readonly id: string }): JSX.Element | null {
  const workspace = useWorkspace();
  const state = workspace?.agent(id) ?? null;
  useWatch(state?.query ?? null);
  const agent = state?.agent.value ?? null;
  const { queue } = useServer();
  const card = useDerived(() => queue.card(`agent:${id}`), [id]);
  if (agent === null) return null;
  const since = card?.snapshot_id ? card : null;
  const newsTexts = new Set(since?.news.map(({ text }) => text));
  return (
    <>
      {since !== null && <ReviewNews card={since} />}
      <WorkFacts
        agent={agent}
        done={agent.context.completed_items.filter((item) => !newsTexts.has(item.title))}
      />
    </>
  );
}

/** Goal, task, next step and blockers stand below as they are now. */
const SINCE: ReadonlySet<string> = new Set(["decided", "unblocked", "done"]);

function ReviewNews({ card }: { readonly card: Card }): JSX.Element {
  const { clock } = useBrowser();
  const at = card.agent?.reviewed_at ?? null;
  const ago = useDerived(() => waitText(clock.now.value - (at ?? 0)), [at]);
  return (
    <Section
      kind="panel"
      title={at === null ? "Not reviewed yet" : "Since your last review"}
      end={at !== null && <span class="numbers">{`${timeOfDay(at)}, ${ago} ago`}</span>}
    >
      <CardNotes card={card} />
      <NewsList lines={card.news.filter(({ kind }) => SINCE.has(kind))} />
      <div class="actions">
        <MarkButton card={card} />
      </div>
    </Section>
  );
}

/** A source of a newer server is left out. */
const SOURCES: Readonly<Record<string, string>> = {
  visible_user_message: "your message",
  visible_assistant_message: "its message",
  runtime_plan: "its plan",
  runtime_task: "its task",
  runtime_title: "its title",
} satisfies Record<Provenance, string>;

/** What is not known is called unknown: nothing is guessed from a field that is missing. */
function WorkFacts(props: {
  readonly agent: SeenAgent;
  /** Completed items that are not among the news above. */
  readonly done: SeenContext["completed_items"];
}): JSX.Element {
  const { agent, done } = props;
  const { context } = agent;
  const { blockers, progress } = context;
  const waits = isWaiting(agent, usePaneOf(agent));
  // "Nothing" blocks a plan that is known; without a plan it is not known what does.
  const hasPlan = progress !== null || blockers.length > 0;
  const sourceOf = (field: "goal" | "current_task" | "next_action" | "blockers") =>
    context[field]?.length ? SOURCES[context.provenance[field] ?? ""] : undefined;
  return (
    <section class="panel">
      <div class="now-facts grid gap-4">
        <Fact title="Goal" source={sourceOf("goal")} text={context.goal} />
        <Fact
          title={hasEnded(agent) ? "Last task" : "Now"}
          source={sourceOf("current_task")}
          text={context.current_task}
        />
        {progress !== null && (
          <div class="flex gap-12 mt-4 fs-13 numbers">
            <Gauge value={progress.completed} of={progress.total} label="Progress" tone="working" />
            <b>{`${progress.completed} of ${progress.total}`}</b>
          </div>
        )}
        <Fact title="Blocked by" source={sourceOf("blockers")} text={hasPlan ? "Nothing" : null}>
          {(blockers.length > 0 || waits) && (
            <ul class="changes">
              {waits && (
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
          )}
        </Fact>
        <Fact title="Next" source={sourceOf("next_action")} text={context.next_action} />
        <Fact title="Said last" text={context.progress_summary} />
        {done.length > 0 && <CompletedItems items={done.toReversed()} />}
      </div>
      <p class="rule mt-12 fine text-3">
        Read from its log. It shows what was said and planned, not what was thought.
      </p>
    </section>
  );
}

function Fact(props: {
  readonly title: string;
  readonly source?: string | undefined;
  /** Null where it is not known. */
  readonly text?: string | null;
  /** In the place of the text. */
  readonly children?: ComponentChildren;
}): JSX.Element {
  const { title, source, text = null, children = false } = props;
  return (
    <>
      <h2 class="flex baseline between gap-12 fs-13 bold text-2">
        {title}
        <span class="fs-12 regular">{source}</span>
      </h2>
      {children || (
        <p class={`fs-15 prose lines ${text === null ? "text-3" : ""}`}>
          <TerminalText text={text ?? "Not known yet"} />
        </p>
      )}
    </>
  );
}

const SHOWN_DONE = 2;

function CompletedItems({
  items,
}: {
  readonly items: SeenContext["completed_items"];
}): JSX.Element {
  const list = (shown: typeof items) => (
    <NewsList lines={shown.map(({ title }) => ({ kind: "done", text: title }))} />
  );
  return (
    <Fact title="Done" source={String(items.length)}>
      {list(items.slice(0, SHOWN_DONE))}
      {items.length > SHOWN_DONE && (
        <details>
          <summary class="flex tap fs-13 bold text-accent">
            {items.length - SHOWN_DONE} more
          </summary>
          {list(items.slice(SHOWN_DONE))}
        </details>
      )}
    </Fact>
  );
}
