import type { JSX } from "preact";
import { useMemo } from "preact/hooks";
import type { Pass } from "../../model/review/pass.ts";
import type { Workspace } from "../../state/server/agents/workspace.ts";
import { agentHash } from "../../state/browser/router.ts";
import { useBrowser } from "../../state/client.ts";
import { Button } from "../../ui/button.tsx";
import { timeOfDay, waitText } from "../../words/common.ts";
import { pass as words, review } from "../../words/review.ts";
import { TerminalItems } from "./items.tsx";
import { InnerLink } from "../parts/inner-link.tsx";
import { CardFace } from "./rows.tsx";

/** What was done, and what is left: cards that were put off, and panes that only their terminal tells of. */
export function PassEnd(props: {
  readonly workspace: Workspace;
  readonly pass: Pass;
  readonly onLeave: () => void;
}): JSX.Element {
  const { workspace, pass, onLeave } = props;
  const { clock, router } = useBrowser();
  const toQueue = () => {
    workspace.goingThrough.end();
    router.go("#/queue");
  };
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
        <div class="pass-low">
          <h2 class="pass-through">{words.through}</h2>
          <p class="pass-goal">
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
              <ul class="list">
                {left.map((card) => (
                  <li key={card.agentId} class="row-item agent-row">
                    <InnerLink class="row" hash={agentHash(card.agentId)}>
                      <CardFace workspace={workspace} card={card} />
                    </InnerLink>
                  </li>
                ))}
              </ul>
            </section>
          )}
          <TerminalItems items={items} />
        </div>
      </div>
      <footer class="pass-footer end">
        <Button onClick={toQueue}>{words.queue}</Button>
        <Button tone="primary" onClick={onLeave}>
          {words.done}
        </Button>
      </footer>
    </>
  );
}
