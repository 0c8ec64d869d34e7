// Two and three columns: a list, the page opened from it, and details of that page.
import type { JSX } from "preact";
import { useBrowser, useServer } from "../state/client.ts";
import { Icon } from "../ui/button.tsx";
import { common } from "../words/common.ts";
import { openPage, TabBar, ScreenBoundary } from "./columns.tsx";
import { ActiveList } from "./active/active.tsx";
import { AgentFacts } from "./agents/facts.tsx";
import { AllPanes } from "./navigator/all.tsx";
import { Inspector, SideCard } from "./pane/card.tsx";
import { QueueBeside, QueueInspector } from "./queue/beside.tsx";
import { RecordDevices } from "./record/record.tsx";
import { StatsPanels } from "./stats/stats.tsx";
import { NoPane } from "./pane/pane.tsx";
import { Head } from "./parts/head.tsx";
import { Banner, ConnectionChip, TitleLine } from "./parts/screen-header.tsx";
import { KeyCaps, SEARCH_KEYS } from "./parts/key-caps.tsx";
import { Scroll } from "./parts/scroll.tsx";
import { SheetButton } from "./parts/links.tsx";
import { QueueRows } from "./queue/rows.tsx";

/** The narrow side of a tab. Stats are drawn on the wide side, beside the list of Active. */
function ListColumn(): JSX.Element {
  const { router } = useBrowser();
  const tab = router.tab.value;
  const isRecord = router.beside.value === "record";
  if (tab === "queue") return <QueueRows />;
  if (tab !== "all")
    return (
      <Scroll list="active">
        <ActiveList />
      </Scroll>
    );
  return (
    <Scroll list={isRecord ? "devices" : "all"}>
      {isRecord ? <RecordDevices /> : <AllPanes />}
    </Scroll>
  );
}

function DetailColumn(): JSX.Element {
  const { layout, router } = useBrowser();
  const agent = router.openAgent.value;
  return (
    <div class="column stack detail">
      {!layout.hasList.value && <Banner />}
      <ScreenBoundary key={agent?.id ?? router.beside.value}>
        <OpenPage />
      </ScreenBoundary>
    </div>
  );
}

function OpenPage(): JSX.Element {
  const { router } = useBrowser();
  const beside = router.beside.value;
  if (beside === "queue") return <QueueBeside />;
  if (beside === "stats")
    return (
      <>
        <Head title={common.tabs.stats} />
        {/* Without usage they hold nothing focusable: then only the area itself can be scrolled by keys. */}
        <Scroll list="stats" isMain isReached>
          <StatsPanels />
        </Scroll>
      </>
    );
  return openPage(router, router.paneBeside.value) ?? <NoPane />;
}

/** The third column: facts about the page in the second, and its question. */
function DetailsColumn(): JSX.Element | null {
  const { router } = useBrowser();
  const id = router.paneBeside.value;
  const agent = router.openAgent.value;
  if (router.beside.value === "queue") return <QueueInspector />;
  if (agent !== null)
    return (
      <aside class="column stack inspector scroll ground" tabIndex={0} aria-label="Details">
        <AgentFacts key={agent.id} id={agent.id} />
      </aside>
    );
  return id === null ? null : <Inspector id={id} />;
}

export function TwoColumns(): JSX.Element {
  const { layout, router } = useBrowser();
  const tab = router.tab.value;
  const isLow = layout.isLow.value;
  const card = isLow ? router.openPane.value : null;
  return (
    <div class="columns clip two">
      <section class="column stack master" aria-label="Panes">
        {card !== null ? (
          <SideCard id={card} />
        ) : (
          <>
            {isLow ? (
              <div class="flat-tabs flex rigid">
                <h1 class="visually-hidden">{common.tabs[tab]}</h1>
                <TabBar isDock={false} />
                <SheetButton icon="search" label="Search or run" opens="palette" />
                <SheetButton icon="sliders" label="Settings" opens="settings" />
              </div>
            ) : (
              <>
                <TitleLine title={tab} />
                <TabBar isDock={false} />
              </>
            )}
            <Banner />
            <ScreenBoundary key={tab}>
              <ListColumn />
            </ScreenBoundary>
          </>
        )}
      </section>
      <DetailColumn />
    </div>
  );
}

export function ThreeColumns(): JSX.Element {
  const { layout, router } = useBrowser();
  const beside = router.beside.value;
  const hasNavigator = layout.hasNavigator.value;
  const hasDetails = router.paneBeside.value !== null || beside === "agent" || beside === "queue";
  const hasInspector = layout.hasInspector.value && hasDetails;
  return (
    <div class={`columns clip three ${hasInspector ? "" : "no-inspector"}`}>
      {hasNavigator && <Navigator />}
      <DetailColumn />
      {hasInspector && (
        <ScreenBoundary key={beside}>
          <DetailsColumn />
        </ScreenBoundary>
      )}
    </div>
  );
}

function Navigator(): JSX.Element {
  const server = useServer();
  const { router } = useBrowser();
  const tab = router.tab.value;
  const mayType = server.may("type");
  return (
    <section class="column stack navigator" aria-label="Panes">
      <h1 class="visually-hidden">{common.tabs[tab]}</h1>
      <div class="navigator-top flex rigid gap-8">
        <button type="button" class="field grow" onClick={() => router.show("palette")}>
          <Icon name="search" class="small" />
          <span class="grow">Search or run</span>
          <KeyCaps keys={SEARCH_KEYS} />
        </button>
        {server.config.has("mux_create_v1") && mayType && (
          <SheetButton icon="plus" label="New" opens="create" />
        )}
      </div>
      <TabBar isDock={false} />
      <Banner />
      <ScreenBoundary key={tab}>
        <ListColumn />
      </ScreenBoundary>
      <footer class="navigator-foot flex rigid gap-4 fs-12 text-2 rule">
        <ConnectionChip />
        <span class="grow" />
        {mayType && <SheetButton icon="broadcast" label="Broadcast" opens="broadcast" />}
        <SheetButton icon="keyboard" label="Shortcuts" opens="shortcuts" />
        <SheetButton icon="sliders" label="Settings" opens="settings" />
      </footer>
    </section>
  );
}
