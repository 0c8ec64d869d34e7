import type { ComponentChildren, JSX } from "preact";
import { type Router, TABS, type Tab } from "../state/browser/router.ts";
import { useBrowser } from "../state/client.ts";
import { Button, Icon } from "../ui/button.tsx";
import { common } from "../words/common.ts";
import { more } from "./more.tsx";
import { Boundary, FailureNotice } from "./parts/boundary.tsx";
import { useWaitingCount } from "./parts/derived.ts";
import { Scroll } from "./parts/scroll.tsx";
import { ScreenHeader } from "./parts/screen-header.tsx";
import { QueueScreen } from "./queue/queue.tsx";

/** One screen, or a list with the opened page beside it: the width decides. */
export function Columns(): JSX.Element {
  const { layout } = useBrowser();
  if (layout.columns.value === 1) return <OneColumn />;
  // The queue needs nothing of the later part.
  const instead = (retry: () => void) => (
    <>
      <FailureNotice onRetry={retry} />
      <OneColumn />
    </>
  );
  return (
    <Boundary instead={instead}>
      {layout.columns.value === 2 ? <more.TwoColumns /> : <more.ThreeColumns />}
    </Boundary>
  );
}

/** The page of the address, or of the pane `id`; null where neither is one. */
export function openPage({ beside, openAgent }: Router, id: string | null): JSX.Element | null {
  const agent = openAgent.value;
  if (agent !== null) return <more.AgentScreen id={agent.id} at={agent.at} />;
  if (beside.value === "pass") return <more.QueuePass />;
  if (beside.value === "phone") return <more.PhonePage />;
  if (beside.value === "record") return <more.RecordPage />;
  return id === null ? null : <more.PaneScreen id={id} />;
}

function OneColumn(): JSX.Element {
  const { router } = useBrowser();
  const id = router.openPane.value;
  const beside = router.beside.value;
  const tab = router.tab.value;
  const page = openPage(router, id);
  if (page !== null && beside !== "record")
    return (
      <ScreenBoundary key={id ?? router.openAgent.value?.id ?? beside} isWhole>
        {page}
      </ScreenBoundary>
    );
  return (
    <div class="one-column stack relative">
      <ScreenBoundary key={page === null ? tab : beside}>
        {page ?? <TabScreen tab={tab} />}
      </ScreenBoundary>
      <TabBar isDock />
    </div>
  );
}

function TabScreen({ tab }: { readonly tab: Tab }): JSX.Element {
  if (tab === "queue") return <QueueScreen />;
  return (
    <>
      <ScreenHeader title={tab} />
      <Scroll list={tab} isMain isReached={tab === "stats"}>
        {tab === "active" && <more.ActiveList />}
        {tab === "all" && <more.AllPanes />}
        {tab === "stats" && <more.StatsPanels />}
      </Scroll>
    </>
  );
}

/** A fault in one screen or column leaves the others as they are. */
export function ScreenBoundary(props: {
  readonly children: ComponentChildren;
  /** It fills the window: without a tab bar around it the fault needs a way out. */
  readonly isWhole?: boolean;
}): JSX.Element {
  const { router } = useBrowser();
  const instead = (retry: () => void) => (
    <div class="scroll">
      <FailureNotice onRetry={retry} />
      {props.isWhole && (
        <p class="empty flex stack gap-6 brief">
          <Button onClick={() => router.go("#/queue")}>{common.tabs.queue}</Button>
        </p>
      )}
    </div>
  );
  return <Boundary instead={instead}>{props.children}</Boundary>;
}

/** The four screens: as a dock at the bottom of a phone, else as tabs above the list. */
export function TabBar({ isDock }: { readonly isDock: boolean }): JSX.Element {
  const { router } = useBrowser();
  const waiting = useWaitingCount();
  const badge = waiting > 0 && (
    <span class="badge numbers" aria-label={common.waitingBadge(waiting)} role="img">
      {waiting}
    </span>
  );
  const open = (tab: Tab) => (event: MouseEvent & { readonly currentTarget: Element }) => {
    event.preventDefault();
    if (router.tab.value === tab)
      event.currentTarget.closest(".column, .one-column")?.querySelector(".scroll")?.scrollTo(0, 0);
    router.go(`#/${tab}`);
  };
  return (
    <nav class={isDock ? "dock grid rigid relative" : "tabs rigid"} aria-label="Main">
      {TABS.map((tab) => (
        <a
          key={tab}
          class={isDock ? "flex stack relative text-3" : undefined}
          href={`#/${tab}`}
          aria-current={router.tab.value === tab ? "page" : undefined}
          onClick={open(tab)}
        >
          {isDock && <Icon name={tab} />}
          {isDock && tab === "queue" && badge}
          <span>{common.tabs[tab]}</span>
          {!isDock && tab === "queue" && badge}
        </a>
      ))}
    </nav>
  );
}
