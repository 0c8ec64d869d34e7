import type { ComponentType, JSX } from "preact";
import { useBrowser, useServer } from "../state/client.ts";
import type { Half, Tab } from "../state/browser/router.ts";
import { AllPlaces } from "./agents/places.tsx";
import {
  ActiveList,
  AllPanes,
  ReviewActions,
  ReviewList,
  ReviewRows,
  SessionList,
  StatsPanels,
  WholeTimeline,
} from "./later.tsx";
import { ScreenHeader } from "./parts/screen-header.tsx";
import { QueueRows, QueueScreen } from "./queue/queue.tsx";
import { DueBanner, QueuePlaces } from "./review/places.tsx";

/** What each tab shows on its own, and what beside a pane. */
export const SCREENS: Readonly<
  Record<Tab, { readonly narrow: () => JSX.Element; readonly wide: () => JSX.Element }>
> = {
  queue: { narrow: QueuePlace, wide: QueueBeside },
  active: { narrow: ActiveScreen, wide: () => <WideList list={ActiveList} /> },
  all: { narrow: AllScreen, wide: AllBesidePlaces },
  stats: { narrow: StatsScreen, wide: () => <WideList list={StatsPanels} /> },
};

/** The half that the list shows; without the workspace there is only the first. */
function useHalf(): Half {
  const { workspace } = useServer();
  const { router } = useBrowser();
  return workspace.facts.value.step === "on" ? router.half.value : "first";
}

/** What waits, or what changed: two halves of one place. */
function QueuePlace(): JSX.Element {
  if (useHalf() !== "review") return <QueueScreen />;
  return (
    <>
      <ScreenHeader title="queue" />
      <QueuePlaces />
      <main class="scroll" id="content">
        <ReviewList />
      </main>
      <ReviewActions />
    </>
  );
}

function QueueBeside(): JSX.Element {
  const { layout } = useBrowser();
  const isReview = useHalf() === "review";
  return (
    <>
      <QueuePlaces />
      {isReview ? (
        <>
          <div class="scroll">
            <ReviewRows />
          </div>
          {layout.columns.value === 2 && <ReviewActions />}
        </>
      ) : (
        <QueueRows />
      )}
    </>
  );
}

/** One component for good: another one on each drawing would forget what was searched. */
function AllBeside(): JSX.Element {
  if (useHalf() === "first") return <AllPanes isNarrow={false} />;
  return <SessionHalf />;
}

/** Who works, or what happened: the halves of All that read sessions instead of panes. */
function SessionHalf(): JSX.Element {
  const { layout, router } = useBrowser();
  // Beside a list the timeline has the wider column.
  const isHere = layout.columns.value === 1;
  return isHere && router.half.value === "timeline" ? <WholeTimeline /> : <SessionList />;
}

/** Figures may hold nothing that takes the focus: then the list itself does, or no key could scroll it. */
function WideList({ list: List }: { readonly list: ComponentType }): JSX.Element {
  return (
    <div class="scroll" tabIndex={List === StatsPanels ? 0 : undefined}>
      <List />
    </div>
  );
}

function ActiveScreen(): JSX.Element {
  return (
    <>
      <ScreenHeader title="active" />
      <main class="scroll" id="content">
        <DueBanner />
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

function AllBesidePlaces(): JSX.Element {
  return (
    <>
      <AllPlaces />
      <WideList list={AllBeside} />
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
