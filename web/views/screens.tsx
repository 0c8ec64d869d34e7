import type { JSX } from "preact";
import type { Tab } from "../state/browser/router.ts";
import { ActiveList, AllPanes, StatsPanels } from "./later.tsx";
import { ScreenHeader } from "./parts/screen-header.tsx";
import { QueueScreen } from "./queue/queue.tsx";

/** What each tab shows on its own. */
export const SCREENS: Readonly<Record<Tab, () => JSX.Element>> = {
  queue: QueueScreen,
  active: ActiveScreen,
  all: AllScreen,
  stats: StatsScreen,
};

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
  return (
    <>
      <ScreenHeader title="all" />
      <main class="scroll" id="content">
        <AllPanes isNarrow />
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
