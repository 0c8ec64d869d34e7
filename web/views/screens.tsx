import type { JSX } from "preact";
import type { Tab } from "../state/browser/router.ts";
import { more } from "./more.tsx";
import { Scroll } from "./parts/place.tsx";
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
      <Scroll list="active" isMain>
        <more.ActiveList />
      </Scroll>
    </>
  );
}

function AllScreen(): JSX.Element {
  return (
    <>
      <ScreenHeader title="all" />
      <Scroll list="all" isMain>
        <more.AllPanes isNarrow />
      </Scroll>
    </>
  );
}

function StatsScreen(): JSX.Element {
  return (
    <>
      <ScreenHeader title="stats" />
      <Scroll list="stats" isMain isReached>
        <more.StatsPanels />
      </Scroll>
    </>
  );
}
