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
import { PaneScreen } from "../pane/pane.tsx";
import { PaneFacts } from "../pane/card.tsx";
import { usePane } from "../parts/derived.ts";
import { CardActs } from "./acts.tsx";
import { QueueCard } from "./card.tsx";
import { NothingWaits } from "./empty.tsx";
import { SetUp } from "./end.tsx";

/** What stands behind the row that is selected; null while nothing stands in the list. */
function useChosen(): Slot | null {
  const { queue } = useServer();
  const key = queue.selection.key.value;
  return queue.order.value.find(({ card }) => card.key === key) ?? null;
}

/** Beside the rows: the page of the one that is selected; where no third column has its card, that. */
export function QueueBeside(): JSX.Element {
  const { panes, queue } = useServer();
  const { layout } = useBrowser();
  const keys = queue.keys.value;
  const chosen = useChosen();
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
        {chosen !== null && <ChosenCard slot={chosen} />}
        {chosen === null && keys.length > 0 && (
          <Empty title="Choose a row" text="What an agent changes or asks appears here." />
        )}
        {keys.length === 0 && (
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

/** The third column: the card of the selected row. */
export function QueueInspector(): JSX.Element {
  const chosen = useChosen();
  const pane = usePane(chosen?.card.pane_id ?? "").value;
  return (
    <aside class="column stack ground" aria-label="Answer">
      {chosen !== null && (
        <ChosenCard slot={chosen}>
          {pane !== null && chosen.card.agent === null && <PaneFacts pane={pane} />}
        </ChosenCard>
      )}
    </aside>
  );
}

/** One card by itself, and at its foot, always in the same place, what can be done with it. */
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

/** The card of the selected row; an answer from here and a mark lead on to another one. */
function ChosenCard(props: {
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
  const seen = useRef(leadCount.value);
  const giveTitle = (from: Element | null) => {
    const heading = (name: string) => page.current?.querySelector<HTMLElement>(name);
    giveFocus(heading(".question") ?? heading(".card-title"), from);
  };
  // Who is led on begins at what it asks, or at its name.
  useLayoutEffect(() => {
    const at = document.activeElement;
    if (seen.current !== leadCount.value) giveTitle(isField(at) ? null : at);
    seen.current = leadCount.value;
  }, [leadCount.value]);
  useLayoutEffect(() => {
    // What led here is gone with the screen it stood on; a page that loads takes no focus.
    if (router.visit.peek() > 1) giveTitle(null);
  }, []);
  const answer = answers.of(pane_id ?? "").value;
  const isSent = answer?.step === "sent" && !isToggle(answer.sent) && !picks.isOn.value;
  const last = useRef({ key, isSent });
  // What was answered here keeps its row for a moment; the reader goes on to the next that waits.
  useLayoutEffect(() => {
    const isNew = isSent && last.current.key === key && !last.current.isSent;
    last.current = { key, isSent };
    if (!isNew || queue.selection.key.peek() !== key) return;
    const waitsStill = (other: string) => {
      const card = queue.card(other);
      return card?.section === "waiting" && !answers.holds(card.pane_id ?? "");
    };
    queue.selection.lead(waitsStill, true);
  }, [key, isSent]);
  const isLeft = (other: string) => {
    const card = queue.card(other);
    return card !== null && marks.of(card) !== "reviewed";
  };
  return (
    <CardPage
      {...{ slot, page, children }}
      foot={
        <footer class="card-foot flex rigid wrap between rule">
          <CardActs
            slot={slot}
            // Another card may have been chosen while a mark was on its way.
            onDone={() => queue.selection.key.peek() === key && queue.selection.lead(isLeft)}
          />
          {pane_id !== null && layout.isLow.value && <WriteButton paneId={pane_id} />}
        </footer>
      }
    />
  );
}

/** A low screen has no room for a composer beside the card: it opens with the page of the pane. */
function WriteButton({ paneId }: { readonly paneId: string }): JSX.Element | null {
  const client = useClient();
  const { router, terminal } = client.browser;
  const pane = usePane(paneId).value;
  if (pane === null || !client.server.may("type")) return null;
  const open = () => {
    terminal.open(paneId);
    terminal.hasInput.value = true;
    router.go(client.pageHash(pane));
  };
  return <IconButton icon="speech" label="Write a message" onClick={open} />;
}
