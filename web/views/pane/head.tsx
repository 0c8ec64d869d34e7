import type { JSX } from "preact";
import { appearanceOf, isAgent, isPlaceholder, waits, type Pane } from "../../model/pane.ts";
import { nextWaiting } from "../../model/work.ts";
import { reasonOf } from "../../net/api.ts";
import { PAGE_TABS, paneHash, type OpenPage, type PageTab } from "../../state/browser/router.ts";
import { useBrowser, useClient, usePart, useServer } from "../../state/client.ts";
import { ChangesPart } from "../../state/server/queries.ts";
import type { Server } from "../../state/server/server.ts";
import { Button, Icon, StatusIcon } from "../../ui/button.tsx";
import { common } from "../../words/common.ts";
import { useWatch } from "../agents/use.ts";
import { useDerived, useWaitingCount, usePane } from "../parts/derived.ts";
import { Head } from "../parts/head.tsx";
import { KeyCaps } from "../parts/key-caps.tsx";
import { SheetButton } from "../parts/links.tsx";
import { Star } from "../parts/row.tsx";
import { PanePath, TerminalText } from "../parts/text.tsx";
import { Tile, usePaneTime, Wait } from "../parts/status.tsx";

export interface Page extends OpenPage {
  readonly tabs: readonly PageTab[];
  /** The session in the pane, while sessions are read; null where none is certain. */
  readonly agentId: string | null;
  /** How many files changed; null where that is not known. */
  readonly files: number | null;
}

/** Git reads folders of this machine alone. */
export const hasChanges = ({ config }: Server, pane: Pane): boolean =>
  config.has("changes_v1") &&
  !isPlaceholder(pane.id) &&
  pane.cwd !== "" &&
  (pane.host ?? null) === null;

export function usePage(id: string, pane: Pane | null): Page {
  const server = useServer();
  const { layout, router } = useBrowser();
  const changes = usePart(ChangesPart).list(id);
  const mayChange = pane !== null && hasChanges(server, pane);
  useWatch(mayChange ? changes : null);
  // A row of the queue has no page of its own: beside it stands the tab chosen last.
  const opened = router.beside.value === "queue" ? null : router.shownPage.value;
  const wanted = opened?.id === id ? opened : { tab: layout.pageTab.value, at: null };
  const agentId = server.agentIn(pane);
  const failure = changes.failure.value;
  const isGit = failure === null || reasonOf(failure) !== "no_git";
  const has = { screen: true, chat: agentId !== null, changes: mayChange && isGit };
  const tab = has[wanted.tab] ? wanted.tab : "screen";
  return {
    id,
    tab,
    at: tab === wanted.tab ? wanted.at : null,
    tabs: PAGE_TABS.filter((name) => has[name]),
    agentId,
    files: changes.value.value?.total ?? null,
  };
}

const TABS = {
  screen: { label: "Screen", key: "o" },
  chat: { label: "Chat", key: "d" },
  changes: { label: "Changes", key: "v" },
} as const;

/** Tabs replace each other in the history, so that Back leaves the page. */
export function PageTabs({ page }: { readonly page: Page }): JSX.Element | null {
  const { layout, router } = useBrowser();
  const { id, tabs, files } = page;
  if (tabs.length < 2) return null;
  const open = (tab: PageTab) => (event: MouseEvent) => {
    event.preventDefault();
    layout.pageTab.value = tab;
    router.goBeside(paneHash(id, tab));
  };
  return (
    <nav class="places rigid" aria-label="Page">
      {tabs.map((tab) => (
        <a
          key={tab}
          href={paneHash(id, tab)}
          aria-current={tab === page.tab ? "true" : undefined}
          onClick={open(tab)}
        >
          {TABS[tab].label}
          {tab === "changes" && files !== null && (
            <span class="numbers">
              {files}
              <span class="visually-hidden"> files</span>
            </span>
          )}
          {layout.columns.value === 3 && <KeyCaps keys={TABS[tab].key} />}
        </a>
      ))}
    </nav>
  );
}

export function PaneHead(props: {
  readonly pane: Pane;
  readonly tabs: JSX.Element | false;
}): JSX.Element {
  const { pane, tabs } = props;
  const { layout } = useBrowser();
  const others = useWaitingCount(pane.id);
  const columns = layout.columns.value;
  const back = {
    label: others === 0 ? "Back" : `Back, ${others} more waiting`,
    text: others > 0 && <span class="numbers">{others}</span>,
  };
  return (
    <Head
      back={columns > 1 ? null : back}
      tile={<Tile pane={pane} status />}
      title={
        <>
          <TerminalText text={pane.name} /> <Star pane={pane} />
        </>
      }
      second={
        <>
          {columns === 1 && <StatusAndTime pane={pane} />}
          <PanePath pane={pane} />
        </>
      }
      end={
        <>
          {columns === 2 && <NextButton id={pane.id} />}
          {tabs}
          <SheetButton icon="dots" label="More" opens="pane-menu" paneId={pane.id} />
        </>
      }
    />
  );
}

/** "Working 12 min ·" before the place of a pane. */
function StatusAndTime({ pane }: { readonly pane: Pane }): JSX.Element {
  const appearance = appearanceOf(pane);
  const time = usePaneTime(pane, {});
  return (
    <>
      {waits(pane) ? <Wait pane={pane} /> : <StatusIcon shape={appearance} />}
      <span class="rigid">
        {!waits(pane) && common.status[appearance]}
        {appearance === "working" && isAgent(pane) && ` ${time}`} ·
      </span>
    </>
  );
}

/** `plain` on a card, which has less room. */
export function NextButton(props: { readonly id: string; readonly tone?: "plain" }) {
  const { id, tone } = props;
  const { goBeside } = useClient();
  const next = useNextWaiting(id);
  if (next === null) return null;
  return (
    <Button tone={tone} size="small" class="rigid" onClick={() => goBeside(next)}>
      {tone === "plain" ? "Next" : "Next waiting"}
      <Icon name="next" class="small" />
    </Button>
  );
}

/** The pane to answer after this one; drawn again only when it is another one, or changes itself. */
export function useNextWaiting(id: string | null): Pane | null {
  const server = useServer();
  const next = useDerived(() => nextWaiting(server.panes.all.value, id)?.id ?? "", [id]);
  return usePane(next).value;
}
