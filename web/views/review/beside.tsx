import type { ComponentChildren, JSX } from "preact";
import { useEffect, useLayoutEffect, useRef } from "preact/hooks";
import { shapeOf } from "../../model/review/brief.ts";
import type { Card } from "../../model/review/cards.ts";
import { agentHash } from "../../state/browser/router.ts";
import type { Workspace } from "../../state/server/agents/workspace.ts";
import { useBrowser, useServer } from "../../state/client.ts";
import { Button, IconButton } from "../../ui/button.tsx";
import { desk as words, pass, plan, review } from "../../words/review.ts";
import { KeyCaps } from "../parts/key-caps.tsx";
import { Skeletons } from "../parts/skeletons.tsx";
import { Place, TerminalText } from "../parts/text.tsx";
import { nameOf, useBoard, usePaneOf } from "./use.ts";
import { AgentTile } from "../parts/tile.tsx";

/** The chosen card; the first one where a person has chosen none. */
export function useChosen(workspace: Workspace | null): Card | null {
  const { layout } = useBrowser();
  useBoard(workspace);
  const cards = workspace?.board.cards.value;
  const id = workspace?.chosen.id.value ?? null;
  useEffect(() => workspace?.chosen.settle(layout.shownCard.peek()), [workspace, cards]);
  useEffect(() => {
    if (id !== null) layout.shownCard.value = id;
  }, [id]);
  return workspace?.chosen.card.value ?? null;
}

/** Nothing is chosen: there is nothing to choose, it has not come yet, or it could not be read. */
export function NoCard({ workspace }: { readonly workspace: Workspace | null }): JSX.Element {
  const isRead = workspace !== null && workspace.review.value.value !== null;
  const hasFailed = workspace !== null && workspace.review.failure.value !== null;
  return (
    <main class="pane beside" id="content">
      {!isRead && !hasFailed && <Skeletons />}
      {(isRead || hasFailed) && (
        <div class="empty">
          <h1>{isRead ? review.emptyTitle : review.notLoaded}</h1>
          <p>{isRead ? words.emptyText : review.notLoadedText}</p>
        </div>
      )}
    </main>
  );
}

/** What scrolls beside the list; another card begins at its top. */
export function BesideBody({ children }: { readonly children: ComponentChildren }): JSX.Element {
  return (
    <div class="scroll beside-body" tabIndex={0} role="region" aria-label={words.changes}>
      {children}
    </div>
  );
}

/** The head of the chosen card with its ways on. Who is led on begins at its name. */
export function BesideFrame(props: {
  readonly workspace: Workspace;
  readonly card: Card;
  readonly children: ComponentChildren;
}): JSX.Element {
  const { workspace, card, children } = props;
  const { config } = useServer();
  const { router } = useBrowser();
  const { agent } = card.latest ?? card.drawn;
  const pane = usePaneOf(agent);
  const heading = useRef<HTMLHeadingElement>(null);
  const { chosen, board } = workspace;
  const led = chosen.led.value;
  const seen = useRef(led);
  useLayoutEffect(() => {
    if (seen.current !== led) heading.current?.focus({ preventScroll: true });
    seen.current = led;
  }, [led]);
  useLayoutEffect(() => {
    // What led here is gone with the screen it stood on; a page that loads takes no focus.
    const isLost = document.activeElement === document.body && router.visit.peek() > 1;
    if (isLost) heading.current?.focus({ preventScroll: true });
  }, []);
  const shape = shapeOf(card);
  const name = nameOf(agent, pane);
  return (
    <main class="pane beside" id="content" aria-label={name} data-agent={agent.id}>
      <header class="pane-header">
        <AgentTile agent={agent} shape={shape} />
        <div class="grow">
          <h1 class="truncate" ref={heading} tabIndex={-1}>
            <span class="visually-hidden">
              {pass.at(chosen.place.value, board.cards.value.length)},{" "}
            </span>
            <TerminalText text={name} />
          </h1>
          <p class="truncate">
            {pane === null ? (
              <TerminalText text={config.labels.value[agent.runtime] ?? agent.runtime} />
            ) : (
              <>
                <Place pane={pane} /> · {words.bound}
              </>
            )}
          </p>
        </div>
        <Ways agentId={agent.id} paneId={pane?.id ?? null} />
      </header>
      {children}
    </main>
  );
}

/** To the plan, to the agent's page, to its pane. */
function Ways(props: { readonly agentId: string; readonly paneId: string | null }): JSX.Element {
  const { agentId, paneId } = props;
  const { layout, router } = useBrowser();
  const toAgent = () => router.go(agentHash(agentId));
  if (layout.columns.value < 3)
    return (
      <>
        <IconButton icon="info" label={words.agentPage} onClick={toAgent} />
        {paneId !== null && (
          <IconButton
            icon="terminal"
            label={review.openPane}
            onClick={() => router.goPane(paneId)}
          />
        )}
      </>
    );
  return (
    <>
      <Button size="small" tone="plain" onClick={() => router.back("#/queue")}>
        {plan.backToReview}
      </Button>
      <Button size="small" onClick={toAgent}>
        {words.agentPage}
        <KeyCaps keys="d" />
      </Button>
      {paneId !== null && (
        <Button size="small" onClick={() => router.goPane(paneId)}>
          {review.openPane}
          <KeyCaps keys="o" />
        </Button>
      )}
    </>
  );
}
