import type { JSX } from "preact";
import { useBrowser, useServer } from "../state/client.ts";
import type { Half, Tab } from "../state/browser/router.ts";
import { AllPlaces } from "./agents/places.tsx";
import { ActiveList, AllPanes, SessionList, StatsPanels, WholeTimeline } from "./later.tsx";
import { ScreenHeader } from "./parts/screen-header.tsx";
import { QueueScreen } from "./queue/queue.tsx";

/** What each tab shows on its own. */
export const SCREENS: Readonly<Record<Tab, () => JSX.Element>> = {
  queue: QueueScreen,
  active: ActiveScreen,
  all: AllScreen,
  stats: StatsScreen,
};

/** The half that the list shows; without the workspace there is only the first. */
export function useHalf(): Half {
  const { workspace } = useServer();
  const { router } = useBrowser();
  return workspace.facts.value.step === "on" ? router.half.value : "first";
}

/** Who works, or what happened: the halves of All that read sessions instead of panes. */
export function SessionHalf(): JSX.Element {
  const { layout, router } = useBrowser();
  // Beside a list the timeline has the wider column.
  const isHere = layout.columns.value === 1;
  return isHere && router.half.value === "timeline" ? <WholeTimeline /> : <SessionList />;
}

function ActiveScreen(): JSX.Element {
  return (
    <>
      <ScreenHeader title="active" />
      <main class="scroll" id="content">
        <ActiveList />
      </main>
    </>
  );
}

function AllScreen(): JSX.Element {
  const half = useHalf();
  return (
    <>
      <ScreenHeader title="all" />
      <AllPlaces />
      <main class="scroll" id="content">
        {half === "first" ? <AllPanes isNarrow /> : <SessionHalf />}
      </main>
    </>
  );
}

function StatsScreen(): JSX.Element {
  return (
    <>
      <ScreenHeader title="stats" />
      <main class="scroll" id="content" tabIndex={0}>
        <StatsPanels />
      </main>
    </>
  );
}
