import type { ComponentChildren, JSX } from "preact";
import type { Provenance } from "../../../src/protocol/agents.ts";
import type { SeenAgent, SeenContext } from "../../../src/protocol/tolerant-later.ts";
import { hasEnded, isWaiting } from "../../model/lifecycle.ts";
import type { Card } from "../../model/queue.ts";
import { useBrowser, useServer } from "../../state/client.ts";
import { Gauge } from "../../ui/gauge.tsx";
import { Icon, StatusIcon } from "../../ui/icons.tsx";
import { Section } from "../../ui/list.tsx";
import { timeOfDay, waitText } from "../../words/common.ts";
import { useDerived } from "../parts/derived.ts";
import { TerminalText } from "../parts/text.tsx";
import { CardNotes, Changes, MarkButton } from "../queue/news.tsx";
import { usePaneOf, useWatch, useWorkspace } from "./use.ts";

/** What changed since the last review, and what is known of its work; nothing is said twice. */
export function AgentFacts({ id }: { readonly id: string }): JSX.Element | null {
  const workspace = useWorkspace();
  const state = workspace?.agent(id) ?? null;
  useWatch(state?.query ?? null);
  const agent = state?.agent.value ?? null;
  const { queue } = useServer();
  const card = useDerived(() => queue.cardOf(id), [id]);
  if (agent === null) return null;
  const since = card?.snapshot_id ? card : null;
  const said = new Set(since?.news.map(({ text }) => text));
  return (
    <>
      {since !== null && <Since card={since} />}
      <Work
        agent={agent}
        done={agent.context.completed_items.filter((item) => !said.has(item.title))}
      />
    </>
  );
}

/** Goal, task, next step and what blocks it stand below as they are now. */
const SINCE: ReadonlySet<string> = new Set(["decided", "unblocked", "done"]);

function Since({ card }: { readonly card: Card }): JSX.Element {
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
      <Changes lines={card.news.filter(({ kind }) => SINCE.has(kind))} />
      <div class="actions">
        <MarkButton card={card} />
      </div>
    </Section>
  );
}

/** Which words of its log a field was read from; a source of a newer server goes unsaid. */
const SOURCES: Readonly<Record<string, string>> = {
  visible_user_message: "your message",
  visible_assistant_message: "its message",
  runtime_plan: "its plan",
  runtime_task: "its task",
  runtime_title: "its title",
} satisfies Record<Provenance, string>;

/** Unknown is said as unknown: nothing is guessed from what is not there. */
function Work(props: {
  readonly agent: SeenAgent;
  /** What is done and does not stand above already. */
  readonly done: SeenContext["completed_items"];
}): JSX.Element {
  const { agent, done } = props;
  const { context } = agent;
  const { blockers, progress } = context;
  const waits = isWaiting(agent, usePaneOf(agent));
  // A plan that is known and blocked by nothing is another thing than no plan.
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
        {done.length > 0 && <Done items={done.toReversed()} />}
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

function Done({ items }: { readonly items: SeenContext["completed_items"] }): JSX.Element {
  const list = (shown: typeof items) => (
    <Changes lines={shown.map(({ title }) => ({ kind: "done", text: title }))} />
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
