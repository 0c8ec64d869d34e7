import type { JSX } from "preact";
import { useEffect, useId, useLayoutEffect, useRef } from "preact/hooks";
import { SHIELD_MS } from "../../model/guard.ts";
import { isMarkable, type Card } from "../../model/review/cards.ts";
import type { Pass } from "../../model/review/pass.ts";
import type { Workspace } from "../../state/server/agents/workspace.ts";
import { useBrowser, useServer } from "../../state/client.ts";
import { Button, IconButton } from "../../ui/button.tsx";
import { Icon } from "../../ui/icons.tsx";
import { timeOfDay } from "../../words/common.ts";
import { pass as words, review } from "../../words/review.ts";
import { Progress } from "../agents/progress.tsx";
import { Place, TerminalText } from "../parts/text.tsx";
import { Changes } from "./changes.tsx";
import { Decision } from "./decision.tsx";
import { PassEnd } from "./pass-end.tsx";
import { NewerChanges } from "./newer.tsx";
import { nameOf, useWatch, usePaneOf, useWorkspace } from "./use.ts";
import { Why } from "./why.tsx";
import { AgentTile } from "../parts/tile.tsx";

/** The cards one by one: the same three buttons in the same place under every one. */
export function ReviewPass(): JSX.Element | null {
  const workspace = useWorkspace();
  const { router } = useBrowser();
  useWatch(workspace?.review ?? null);
  useEffect(() => workspace?.board.follow(), [workspace]);
  const isRead = workspace !== null && workspace.review.value.value !== null;
  useEffect(() => {
    if (!isRead || workspace === null || workspace.goingThrough.pass.peek() !== null) return;
    // Opened by its address, or after a reload: what stands now is gone through.
    if (workspace.board.cards.peek().length === 0) workspace.board.enter(router.visit.peek());
    workspace.goingThrough.begin();
  }, [workspace, isRead]);
  const pass = workspace?.goingThrough.pass.value ?? null;
  const leave = () => {
    workspace?.goingThrough.end();
    router.back("#/queue");
  };
  if (workspace === null || pass === null) return <main class="pass" id="content" />;
  const card = workspace.goingThrough.card.value;
  return (
    <main class="pass" id="content">
      <h1 class="visually-hidden">{words.goThrough}</h1>
      <PassHeader pass={pass} onLeave={leave} />
      {card === null ? (
        <PassEnd workspace={workspace} pass={pass} onLeave={leave} />
      ) : (
        <PassCard key={card.agentId} workspace={workspace} pass={pass} card={card} />
      )}
    </main>
  );
}

function PassHeader(props: { readonly pass: Pass; readonly onLeave: () => void }): JSX.Element {
  const { pass, onLeave } = props;
  const { order, at, reviewed } = pass;
  const place = Math.min(at + 1, order.length);
  return (
    <header class="pass-header">
      <IconButton icon="close" label={words.leave} onClick={onLeave} />
      <span class="numbers">{words.at(place, order.length)}</span>
      <div
        class="pips"
        role="progressbar"
        aria-label={words.progress}
        aria-valuemin={0}
        aria-valuemax={order.length}
        aria-valuenow={place}
      >
        {order.map((id, index) => (
          <i key={id} class={pipOf(index, at, reviewed.has(id))} />
        ))}
      </div>
    </header>
  );
}

function pipOf(index: number, at: number, isReviewed: boolean): string {
  if (isReviewed) return "done";
  if (index === at) return "now";
  return index < at ? "later" : "";
}

function PassCard(props: {
  readonly workspace: Workspace;
  readonly pass: Pass;
  readonly card: Card;
}): JSX.Element {
  const { workspace, pass, card } = props;
  const { config } = useServer();
  const { drawn, latest } = card;
  const { agent } = latest ?? drawn;
  const pane = usePaneOf(agent);
  const decisions = useRef<HTMLElement>(null);
  const heading = useRef<HTMLHeadingElement>(null);
  const titleId = useId();
  // The next card begins with its name, for the eye and for the voice.
  useLayoutEffect(() => heading.current?.focus({ preventScroll: true }), []);
  const { goal, next_action, progress, progress_summary } = agent.context;
  const since = drawn.reviewed_snapshot_at ?? drawn.reviewed_at;
  return (
    <>
      <div class="pass-body scroll">
        <Why card={card} />
        <div class="pass-name">
          <AgentTile agent={agent} />
          <h2 ref={heading} tabIndex={-1} id={titleId}>
            <TerminalText text={nameOf(agent, pane)} />
            <span class="visually-hidden">{words.at(pass.at + 1, pass.order.length)}</span>
          </h2>
          <p>
            {pane === null ? (
              <TerminalText text={config.labels.value[agent.runtime] ?? agent.runtime} />
            ) : (
              <Place pane={pane} />
            )}
            {" · "}
            {since === null ? review.firstLook : review.since(timeOfDay(since))}
          </p>
        </div>
        {goal !== null && (
          <p class="pass-goal">
            <span class="visually-hidden">{words.goal}: </span>
            <TerminalText text={goal} />
          </p>
        )}
        <Changes changes={drawn.changes} isWhole />
        <Said title={words.nextStep} text={next_action} />
        <Said title={words.said} text={progress_summary} />
        {progress !== null && <Progress done={progress.completed} total={progress.total} />}
        <article ref={decisions} aria-labelledby={titleId} class="pass-decisions">
          {workspace.board.decisions(card).map(({ decision, isOpen }) => (
            <Decision
              key={decision.id}
              {...{ workspace, agent, decision, isOpen }}
              card={decisions}
              headingLevel={3}
            />
          ))}
        </article>
        <NewerChanges workspace={workspace} card={card} />
      </div>
      <PassFooter workspace={workspace} card={card} isFirst={pass.at === 0} />
    </>
  );
}

function Said(props: { readonly title: string; readonly text: string | null }): JSX.Element | null {
  const { title, text } = props;
  if (text === null || text === "") return null;
  return (
    <>
      <h3 class="pass-label">{title}</h3>
      <p class="said">
        <TerminalText text={text} />
      </p>
    </>
  );
}

/** Never moves. A tap right after the card was swapped was meant for the one before. */
function PassFooter(props: {
  readonly workspace: Workspace;
  readonly card: Card;
  readonly isFirst: boolean;
}): JSX.Element {
  const { workspace, card, isFirst } = props;
  const { clock } = useBrowser();
  const { goingThrough, marks } = workspace;
  const mark = marks.of(card.agentId).value;
  const canMark = isMarkable(card) && mark?.step !== "reviewed";
  const steady = (run: () => void) => () => {
    if (clock.monotonicMs() - goingThrough.swappedAt.peek() >= SHIELD_MS) run();
  };
  const reviewed = async () => {
    if (canMark && !(await marks.mark(card.drawn))) return;
    goingThrough.reviewed(card.agentId);
    goingThrough.step(1);
  };
  return (
    <footer class="pass-footer" data-acts>
      <Button
        aria-label={words.previous}
        disabled={isFirst}
        onClick={steady(() => goingThrough.step(-1))}
      >
        <Icon name="back" />
      </Button>
      <Button data-later onClick={steady(() => goingThrough.step(1))}>
        {canMark ? words.later : words.next}
      </Button>
      <Button
        data-mark
        disabled={mark?.step === "marking" || (canMark && workspace.isDown.value)}
        onClick={steady(() => void reviewed())}
      >
        <Icon name="check" />
        {mark?.step === "failed" ? review.notMarked : words.reviewed}
      </Button>
    </footer>
  );
}
