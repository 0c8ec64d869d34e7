import type { ComponentChildren, JSX } from "preact";
import { useEffect, useLayoutEffect, useRef } from "preact/hooks";
import { isToggle } from "../../model/answer.ts";
import type { Pane } from "../../model/pane.ts";
import { agentOf, type Section, type Slot } from "../../model/queue/order.ts";
import { useBrowser, useServer } from "../../state/client.ts";
import { Empty } from "../../ui/empty.tsx";
import { giveFocus, isField } from "../../ui/focus.ts";
import { useGroup } from "../agents/use.ts";
import { more } from "../more.tsx";
import { PaneFacts } from "../pane/inspector.tsx";
import { usePane } from "../parts/derived.ts";
import { CardActs, QueueCard } from "./card.tsx";
import { NothingWaits } from "./empty.tsx";
import { SetUp } from "./end.tsx";

/** What stands behind the row that is selected. */
interface Chosen {
  readonly slot: Slot;
  readonly section: Section;
  readonly pane: Pane | null;
}

/** Null while nothing stands in the list. */
function useChosen(): Chosen | null {
  const { queue } = useServer();
  const key = queue.chosen.key.value;
  const [found] = queue.sections.value.flatMap(({ section, slots }) =>
    slots.flatMap((slot) => (slot.key === key ? { slot, section } : [])),
  );
  const pane = usePane(found?.slot.paneId ?? "").value;
  const group = useGroup(found === undefined ? null : agentOf(found.slot.key));
  return found === undefined || (pane === null && group === null) ? null : { ...found, pane };
}

/** Beside the rows: the page of the one that is selected; where no third column has its card, that. */
export function QueueBeside(): JSX.Element {
  const { panes, queue } = useServer();
  const { layout } = useBrowser();
  const keys = queue.keys.value;
  const chosen = useChosen();
  const hasPage = layout.hasThird.value;
  const paneId = chosen?.pane?.id ?? null;
  useEffect(() => queue.chosen.settle(), [keys]);
  useEffect(
    () => (hasPage && paneId !== null ? panes.showAlso([paneId]) : undefined),
    [paneId, hasPage],
  );
  if (chosen === null)
    return (
      <main class="pane beside" id="content">
        {keys.length > 0 && (
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
  if (!hasPage)
    return (
      <main class="pane beside" id="content">
        <CardPage {...chosen} />
      </main>
    );
  if (paneId !== null) return <more.PaneScreen key={paneId} id={paneId} />;
  const agentId = agentOf(chosen.slot.key) ?? "";
  return <more.AgentScreen key={agentId} id={agentId} at={null} />;
}

/** The third column: the card of the selected row. */
export function QueueInspector(): JSX.Element {
  const chosen = useChosen();
  return (
    <aside class="column answer-column" aria-label="Answer">
      {chosen !== null && (
        <CardPage {...chosen}>
          {chosen.pane !== null && agentOf(chosen.slot.key) === null && (
            <PaneFacts pane={chosen.pane} />
          )}
        </CardPage>
      )}
    </aside>
  );
}

/** One card, and at its foot, always in the same place, what can be done with it. */
function CardPage(props: Chosen & { readonly children?: ComponentChildren }): JSX.Element {
  const { children, ...card } = props;
  const { slot, section } = card;
  const { acts, picks, queue, workspace } = useServer();
  const { router } = useBrowser();
  const page = useRef<HTMLDivElement>(null);
  const { led } = queue.chosen;
  const seen = useRef(led.value);
  const giveTitle = (from: Element | null) => {
    const heading = (name: string) => page.current?.querySelector<HTMLElement>(name);
    giveFocus(heading(".question") ?? heading(".card-title"), from);
  };
  // Who is led on begins at what it asks, or at its name.
  useLayoutEffect(() => {
    const at = document.activeElement;
    if (seen.current !== led.value) giveTitle(isField(at) ? null : at);
    seen.current = led.value;
  }, [led.value]);
  useLayoutEffect(() => {
    // What led here is gone with the screen it stood on; a page that loads takes no focus.
    if (router.visit.peek() > 1) giveTitle(null);
  }, []);
  const answer = acts.of(slot.paneId ?? "").value;
  const isSent = answer?.step === "sent" && !isToggle(answer.sent) && !picks.isOn.value;
  const last = useRef({ key: slot.key, isSent });
  // What was answered here keeps its row for a moment; the reader goes on to the next that waits.
  useLayoutEffect(() => {
    const isNew = isSent && last.current.key === slot.key && !last.current.isSent;
    last.current = { key: slot.key, isSent };
    if (!isNew || queue.chosen.key.peek() !== slot.key) return;
    const waitsStill = (key: string) => {
      const entry = queue.entry(key);
      return entry?.section === "waiting" && !acts.holds(entry.paneId ?? "");
    };
    queue.chosen.lead(waitsStill, true);
  }, [slot.key, isSent]);
  const isLeft = (key: string) => {
    const { marks, review } = workspace.current.peek() ?? {};
    const group = review?.value.peek()?.groups.find(({ agent_id }) => agent_id === agentOf(key));
    return queue.entry(key) !== null && (group === undefined || marks?.of(group) !== "reviewed");
  };
  return (
    <>
      <div
        ref={page}
        key={slot.key}
        class="scroll card-page"
        tabIndex={0}
        role="region"
        aria-label="Answer"
      >
        <QueueCard {...card} isWhole />
        {children}
      </div>
      <footer key={`foot ${slot.key}`} class="card-foot flex rigid wrap between" data-acts>
        <CardActs
          slot={slot}
          section={section}
          // Another card may have been chosen while a mark was on its way.
          onDone={() => queue.chosen.key.peek() === slot.key && queue.chosen.lead(isLeft)}
        />
      </footer>
    </>
  );
}
