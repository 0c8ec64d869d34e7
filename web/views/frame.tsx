import type { JSX } from "preact";
import { TABS, type Tab } from "../state/browser/router.ts";
import { useBrowser } from "../state/client.ts";
import { Icon } from "../ui/icons.tsx";
import { common } from "../words/common.ts";
import { useWaitingCount } from "./parts/derived.ts";

function Badge(): JSX.Element | null {
  const waiting = useWaitingCount();
  if (waiting === 0) return null;
  return (
    <span class="badge numbers" aria-label={common.waitingBadge(waiting)} role="img">
      {waiting}
    </span>
  );
}

/** The four screens: the dock at the bottom of a phone, and tabs above a list that stands beside a pane. */
export function Places({ isDock }: { readonly isDock: boolean }): JSX.Element {
  const { router } = useBrowser();
  const open = (tab: Tab) => (event: MouseEvent & { readonly currentTarget: Element }) => {
    event.preventDefault();
    if (router.tab.value === tab)
      event.currentTarget.closest(".column, .one-column")?.querySelector(".scroll")?.scrollTo(0, 0);
    router.goTab(tab);
  };
  return (
    <nav class={isDock ? "dock" : "tabs"} aria-label="Main">
      {TABS.map((tab) => (
        <a
          key={tab}
          href={`#/${tab}`}
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
