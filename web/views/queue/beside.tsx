import { Fragment, type ComponentChildren, type JSX, type RefObject } from "preact";
import { useEffect, useLayoutEffect, useRef } from "preact/hooks";
import { isToggle } from "../../model/answer.ts";
import type { Slot } from "../../model/queue.ts";
import { useBrowser, useClient, usePart, useServer } from "../../state/client.ts";
import { Marks } from "../../state/server/marks.ts";
import { IconButton } from "../../ui/button.tsx";
import { Empty } from "../../ui/notice.tsx";
import { giveFocus, isField } from "../../ui/focus.ts";
import { AgentScreen } from "../agents/page.tsx";
import { useChange } from "../agents/use.ts";
import { PaneScreen } from "../pane/pane.tsx";
import { PaneFacts } from "../pane/card.tsx";
import { usePane } from "../parts/derived.ts";
import { CardActs } from "./acts.tsx";
import { QueueCard } from "./card.tsx";
import { NothingWaits } from "./empty.tsx";
import { SetUp } from "./end.tsx";
import { PickBar } from "./picks.tsx";

/** The card of the selected row; null while there is none. */
function useSelectedSlot(): Slot | null {
  const { queue } = useServer();
  const key = queue.selection.key.value;
  return queue.order.value.find(({ card }) => card.key === key) ?? null;
}

/** The page of the selected pane; without a third column for its card the card itself. */
export function QueueBeside(): JSX.Element {
  const { panes, queue } = useServer();
  const { layout } = useBrowser();
  const keys = queue.keys.value;
  const chosen = useSelectedSlot();
  const hasPage = layout.hasThird.value;
  const paneId = chosen?.card.pane_id ?? null;
  useEffect(() => queue.selection.settle(), [keys]);
  useEffect(
    () => (hasPage && paneId !== null ? panes.showAlso([paneId]) : undefined),
    [paneId, hasPage],
  );
  if (chosen === null || !hasPage)
    return (
      <main class="pane beside stack relative" id="content">
        {chosen !== null && <SelectedCard slot={chosen} />}
        {chosen === null && keys.length > 0 && (
          <Empty title="Choose a row" text="What an agent changes or asks appears here." />
        )}
        {keys.length === 0 && panes.isLoaded.value && (
          <div class="scroll">
            <NothingWaits />
            <SetUp />
          </div>
        )}
      </main>
    );
  if (paneId !== null) return <PaneScreen key={paneId} id={paneId} />;
  const agentId = chosen.card.agent_id ?? "";
  return <AgentScreen key={agentId} id={agentId} at={null} />;
}

export function QueueInspector(): JSX.Element {
  const chosen = useSelectedSlot();
  const pane = usePane(chosen?.card.pane_id ?? "").value;
  return (
    <aside class="column stack ground" aria-label="Answer">
      {chosen !== null && (
        <SelectedCard slot={chosen}>
          {pane !== null && chosen.card.agent === null && <PaneFacts pane={pane} />}
        </SelectedCard>
      )}
    </aside>
  );
}

/** The foot stands in the same place under every card. */
export function CardPage(props: {
  readonly slot: Slot;
  readonly page: RefObject<HTMLDivElement | null>;
  readonly foot: JSX.Element;
  /** Below the card. */
  readonly children?: ComponentChildren;
}): JSX.Element {
  const { slot, page, foot, children } = props;
  return (
    <Fragment key={slot.card.key}>
      <div ref={page} class="scroll grow card-page" tabIndex={0} role="region" aria-label="Answer">
        <QueueCard slot={slot} isWhole />
        {children}
      </div>
      {foot}
    </Fragment>
  );
}

/** An answer and a mark lead on to another card. */
function SelectedCard(props: {
  readonly slot: Slot;
  readonly children?: ComponentChildren;
}): JSX.Element {
  const { slot, children } = props;
  const { key, pane_id } = slot.card;
  const { answers, picks, queue } = useServer();
  const marks = usePart(Marks);
  const { layout, router } = useBrowser();
  const page = useRef<HTMLDivElement>(null);
  const { leadCount } = queue.selection;
  const giveTitle = (from: Element | null) => {
    const heading = (name: string) => page.current?.querySelector<HTMLElement>(name);
    giveFocus(heading(".question") ?? heading(".card-title"), from);
  };
  // A person who was led on starts at the question, or at the name.
  useChange(leadCount.value, () => {
    const at = document.activeElement;
    giveTitle(isField(at) ? null : at);
  });
  useLayoutEffect(() => {
    // The control that led here went with its screen. A page that loads takes no focus.
    if (router.visit.peek() > 1) giveTitle(null);
  }, []);
  const answer = answers.of(pane_id ?? "").value;
  const isSent = answer?.step === "sent" && !isToggle(answer.sent) && !picks.isOn.value;
  // The answered card keeps its row for a moment, while the selection moves to the next that waits.
  useChange(`${isSent} ${key}`, (before) => {
    if (!isSent || before !== `false ${key}` || queue.selection.key.peek() !== key) return;
    const waitsStill = (other: string) => {
      const card = queue.card(other);
      return card?.section === "waiting" && !answers.holds(card.pane_id ?? "");
    };
    queue.selection.lead(waitsStill, true);
  });
  const isLeft = (other: string) => {
    const card = queue.card(other);
    return card !== null && marks.of(card) !== "reviewed";
  };
  const foot = (
    <>
      <footer class="card-foot flex rigid wrap between rule">
        <CardActs
          slot={slot}
          // Another card may have been chosen while a mark was on its way.
          onDone={() => queue.selection.key.peek() === key && queue.selection.lead(isLeft)}
        />
        {pane_id !== null && layout.isLow.value && <WriteButton paneId={pane_id} />}
      </footer>
      {picks.isOn.value && !layout.hasList.value && <PickBar />}
    </>
  );
  return <CardPage {...{ slot, page, foot, children }} />;
}

/** A low screen has no room for a composer beside the card: it opens with the page of the pane. */
function WriteButton({ paneId }: { readonly paneId: string }): JSX.Element | null {
  const client = useClient();
  const { preferences, router, terminal } = client.browser;
  const pane = usePane(paneId).value;
  if (pane === null || !client.server.may("type")) return null;
  const open = () => {
    terminal.open(paneId, preferences.current.value.follow);
    terminal.hasInput.value = true;
    router.go(client.pageHash(pane));
  };
  return <IconButton icon="speech" label="Write a message" onClick={open} />;
}
