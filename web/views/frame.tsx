import type { JSX } from "preact";
import { TABS, type Half, type Tab } from "../state/browser/router.ts";
import { useBrowser, useServer } from "../state/client.ts";
import { Icon } from "../ui/icons.tsx";
import { common } from "../words/common.ts";
import { all as listWords } from "../words/lists.ts";
import { ConnectionChip } from "./connection/chip.tsx";
import { Banner } from "./connection/banner.tsx";
import { useWaitingCount } from "./parts/derived.ts";
import { KeyCaps, SEARCH_KEYS } from "./parts/key-caps.tsx";
import { TitleLine } from "./parts/screen-header.tsx";
import { SheetButton } from "./parts/sheet-button.tsx";

function Badge(): JSX.Element | null {
  const waiting = useWaitingCount();
  if (waiting === 0) return null;
  return (
    <span class="badge numbers" aria-label={common.waitingBadge(waiting)} role="img">
      {waiting}
    </span>
  );
}

/** The way to a place of the dock: to the half of it that was shown last, where that is there now. */
function usePlace(): (tab: Tab) => string {
  const { router } = useBrowser();
  const { workspace } = useServer();
  const facts = workspace.facts.value;
  const isThere = (half: Half) => facts.step === "on" && (half !== "review" || facts.hasReview);
  return (tab) => router.placeHash(tab, isThere);
}

/** The four screens: the dock at the bottom of a phone, and tabs above a list that stands beside a pane. */
function Places({ isDock }: { readonly isDock: boolean }): JSX.Element {
  const { router } = useBrowser();
  const placeOf = usePlace();
  const open = (tab: Tab) => (event: MouseEvent) => {
    event.preventDefault();
    if (isDock && router.tab.value === tab) document.querySelector(".scroll")?.scrollTo({ top: 0 });
    router.go(placeOf(tab));
  };
  return (
    <nav class={isDock ? "dock" : "tabs"} aria-label={common.mainNavigation}>
      {TABS.map((tab) => (
        <a
          key={tab}
          href={placeOf(tab)}
          aria-current={router.tab.value === tab ? "page" : undefined}
          onClick={open(tab)}
        >
          {isDock && <Icon name={tab} />}
          {isDock && tab === "queue" && <Badge />}
          <span>{common.tabs[tab]}</span>
          {!isDock && tab === "queue" && <Badge />}
        </a>
      ))}
    </nav>
  );
}

export const Dock = (): JSX.Element => <Places isDock />;

/** Head of the list in two columns. */
export function MasterHeader(): JSX.Element {
  const { router } = useBrowser();
  return (
    <>
      <TitleLine title={router.tab.value} hasAll />
      <Places isDock={false} />
      <Banner />
    </>
  );
}

/** Head and foot of the list in three columns: the palette above, the connection below. */
export function NavigatorHeader(): JSX.Element {
  const { config } = useServer();
  const { router } = useBrowser();
  return (
    <>
      <h1 class="visually-hidden">{common.tabs[router.tab.value]}</h1>
      <div class="navigator-top">
        <button type="button" class="field grow" onClick={() => router.show("palette")}>
          <Icon name="search" class="small" />
          <span class="grow">{listWords.searchOrRun}</span>
          <KeyCaps keys={SEARCH_KEYS} />
        </button>
        {config.has("mux_create_v1") && (
          <SheetButton icon="plus" label={common.newSomething} opens="create" />
        )}
      </div>
      <Places isDock={false} />
      <Banner />
    </>
  );
}

export function NavigatorFooter(): JSX.Element {
  return (
    <footer class="navigator-foot">
      <ConnectionChip />
      <span class="grow" />
      <SheetButton icon="broadcast" label={listWords.broadcast} opens="broadcast" />
      <SheetButton icon="keyboard" label={listWords.shortcuts} opens="shortcuts" />
      <SheetButton icon="sliders" label={common.settings} opens="settings" />
    </footer>
  );
}
