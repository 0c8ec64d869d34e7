import type { ComponentType, JSX } from "preact";
import type { Beside, Tab } from "../state/browser/router.ts";
import { useBrowser } from "../state/client.ts";
import { common } from "../words/common.ts";
import { Screen } from "./columns.tsx";
import { more } from "./more.tsx";
import { NoPane } from "./pane/pane.tsx";
import { Head } from "./parts/head.tsx";
import { Scroll } from "./parts/place.tsx";
import { QueueRows } from "./queue/rows.tsx";
import { MasterHeader, NavigatorFooter, NavigatorHeader } from "./wide-head.tsx";

/** What each tab shows beside a pane. */
const LISTS: Readonly<Record<Tab, () => JSX.Element>> = {
  queue: QueueRows,
  active: ActiveBeside,
  all: AllBeside,
  stats: ActiveBeside,
};

function ActiveBeside(): JSX.Element {
  return (
    <Scroll list="active">
      <more.ActiveList />
    </Scroll>
  );
}

/** Figures have the wide side; who works stands beside them. They may hold nothing that takes the focus. */
function StatsBeside(): JSX.Element {
  return (
    <>
      <Head title={common.tabs.stats} />
      <Scroll list="stats" isMain isReached>
        <more.StatsPanels />
      </Scroll>
    </>
  );
}

function AllBeside(): JSX.Element {
  const { router } = useBrowser();
  const isRecord = router.beside.value === "record";
  return (
    <Scroll list={isRecord ? "devices" : "all"}>
      {isRecord ? <more.RecordDevices /> : <more.AllPanes isNarrow={false} />}
    </Scroll>
  );
}

/** What stands beside a list: a pane, the session or the card of the queue that was opened. */
function Detail({ id }: { readonly id: string | null }): JSX.Element {
  const { router } = useBrowser();
  const beside = router.beside.value;
  const agent = router.openAgent.value;
  return (
    <div class="column detail">
      <Screen key={agent?.id ?? beside}>
        {agent === null ? (
          <BesideList beside={beside} id={id} />
        ) : (
          <more.AgentScreen id={agent.id} at={agent.at} />
        )}
      </Screen>
    </div>
  );
}

function BesideList(props: {
  readonly beside: Beside;
  readonly id: string | null;
}): JSX.Element | null {
  const { beside, id } = props;
  if (beside === "queue") return <more.QueueBeside />;
  if (beside === "phone") return <more.PhonePage />;
  if (beside === "record") return <more.RecordPage />;
  if (beside === "stats") return <StatsBeside />;
  if (beside === "pass") return <more.QueuePass />;
  return id === null ? <NoPane /> : <more.PaneScreen id={id} />;
}

export function TwoColumns(): JSX.Element {
  const { layout, router } = useBrowser();
  const id = router.paneBeside.value;
  const List = LISTS[router.tab.value];
  const hasCard = layout.isLow.value && router.openPane.value !== null;
  return (
    <div class="columns grid clip two">
      <section class="column master" aria-label="Panes">
        {hasCard ? (
          <more.SideCard id={router.openPane.value ?? ""} />
        ) : (
          <>
            <MasterHeader />
            <Screen key={router.tab.value}>
              <List />
            </Screen>
          </>
        )}
      </section>
      <Detail id={id} />
    </div>
  );
}

/** The third column: what is known about the second, and what it asks. */
const THIRD: Readonly<Record<Beside, ComponentType<{ id: string | null }> | null>> = {
  pane: ({ id }) => (id === null ? null : <more.Inspector id={id} />),
  agent: OpenAgentInspector,
  phone: null,
  record: null,
  stats: null,
  queue: () => <more.QueueInspector />,
  pass: null,
};

function OpenAgentInspector(): JSX.Element | null {
  const { router } = useBrowser();
  const agent = router.openAgent.value;
  return agent === null ? null : <more.AgentInspector id={agent.id} />;
}

export function ThreeColumns(): JSX.Element {
  const { layout, router } = useBrowser();
  const id = router.paneBeside.value;
  const List = LISTS[router.tab.value];
  const hasNavigator = layout.hasNavigator.value;
  const Third = THIRD[router.beside.value];
  const hasInspector = layout.hasInspector.value && Third !== null;
  const hidden = `${hasNavigator ? "" : "no-navigator"} ${hasInspector ? "" : "no-inspector"}`;
  return (
    <div class={`columns grid clip three ${hidden}`}>
      {hasNavigator && (
        <section class="column navigator" aria-label="Panes">
          <NavigatorHeader />
          <Screen key={router.tab.value}>
            <List />
          </Screen>
          <NavigatorFooter />
        </section>
      )}
      <Detail id={id} />
      {hasInspector && (
        <Screen key={router.beside.value}>
          <Third id={id} />
        </Screen>
      )}
    </div>
  );
}
