import type { JSX } from "preact";
import { useMemo } from "preact/hooks";
import type { Card } from "../../model/review/cards.ts";
import type { Pass } from "../../model/review/pass.ts";
import type { Workspace } from "../../state/server/agents/workspace.ts";
import { useBrowser } from "../../state/client.ts";
import { Button } from "../../ui/button.tsx";
import { timeOfDay, waitText } from "../../words/common.ts";
import { pass as words, review } from "../../words/review.ts";
import { TerminalText } from "../parts/text.tsx";
import { CardTime } from "./card.tsx";
import { TerminalItems } from "./items.tsx";
import { nameOf, usePaneOf } from "./use.ts";

/** What was done, and what is left: cards that were put off, and panes that only their terminal tells of. */
export function PassEnd(props: {
  readonly workspace: Workspace;
  readonly pass: Pass;
  readonly onLeave: () => void;
}): JSX.Element {
  const { workspace, pass, onLeave } = props;
  const { clock } = useBrowser();
  const seconds = useMemo(() => (clock.monotonicMs() - pass.startedAt) / 1000, [pass]);
  const left = workspace.goingThrough.left();
  const reply = workspace.review.value.value;
  const items = reply?.terminal_items ?? [];
  const next = reply?.settings.next_due_at ?? null;
  const figures = [
    [words.figures.reviewed, pass.reviewed.size],
    [words.figures.answered, pass.answered.size],
    [words.figures.left, left.length + items.length],
  ] as const;
  return (
    <>
      <div class="pass-body scroll">
        <h2 class="pass-through">{words.through}</h2>
        <p>
          {words.took(waitText(seconds))}
          {next !== null && ` ${review.emptyNext(timeOfDay(next))}`}
        </p>
        <dl class="figures">
          {figures.map(([name, value]) => (
            <div key={name}>
              <dt>{name}</dt>
              <dd class="numbers">{value}</dd>
            </div>
          ))}
        </dl>
        {left.length > 0 && (
          <section>
            <h3 class="pass-label">{words.left}</h3>
            <ul class="rows">
              {left.map((card) => (
                <li key={card.agentId} class="left-over">
                  <LeftOver card={card} />
                </li>
              ))}
            </ul>
          </section>
        )}
        <TerminalItems items={items} />
      </div>
      <footer class="pass-footer end">
        <Button tone="primary" onClick={onLeave}>
          {words.done}
        </Button>
      </footer>
    </>
  );
}

function LeftOver({ card }: { readonly card: Card }): JSX.Element {
  const { agent } = card.latest ?? card.drawn;
  const pane = usePaneOf(agent);
  return (
    <>
      <span class="grow truncate">
        <TerminalText text={nameOf(agent, pane)} />
      </span>
      <CardTime card={card} />
    </>
  );
}
