import type { JSX } from "preact";
import { isPlaceholder, type Pane } from "../../model/pane.ts";
import { reasonOf } from "../../net/api.ts";
import { PAGE_TABS, paneHash, type OpenPage, type PageTab } from "../../state/browser/router.ts";
import { useBrowser, usePart, useServer } from "../../state/client.ts";
import { ChangesPart } from "../../state/server/changes.ts";
import type { Server } from "../../state/server/server.ts";
import { useWatch } from "../agents/use.ts";
import { KeyCaps } from "../parts/key-caps.tsx";
import { Places } from "../parts/places.tsx";

/** The page of a pane as far as there is something to show. */
export interface Page extends OpenPage {
  readonly tabs: readonly PageTab[];
  /** The session in the pane, while sessions are read; null where none is certain. */
  readonly agentId: string | null;
  /** Of files that differ; null where that is not known. */
  readonly files: number | null;
}

/** Git reads the folders of panes on this machine. */
export const hasChanges = ({ config }: Server, pane: Pane): boolean =>
  config.has("changes_v1") &&
  !isPlaceholder(pane.id) &&
  pane.cwd !== "" &&
  (pane.host ?? null) === null;

/** The folder of a pane that git knows nothing about has no changes. */
const NO_GIT = "no_git";

export function usePage(id: string, pane: Pane | null): Page {
  const server = useServer();
  const { router } = useBrowser();
  const changes = usePart(ChangesPart).list(id);
  const mayChange = pane !== null && hasChanges(server, pane);
  useWatch(mayChange ? changes : null);
  const opened = router.shownPage.value;
  const [asked, at] = opened?.id === id ? [opened.tab, opened.at] : (["screen", null] as const);
  const agentId = server.agentIn(pane);
  const failure = changes.failure.value;
  const isGit = failure === null || reasonOf(failure) !== NO_GIT;
  const has = { screen: true, chat: agentId !== null, changes: mayChange && isGit };
  const tab = has[asked] ? asked : "screen";
  return {
    id,
    tab,
    at: tab === asked ? at : null,
    tabs: PAGE_TABS.filter((name) => has[name]),
    agentId,
    files: changes.value.value?.total ?? null,
  };
}

const LABELS = { screen: "Screen", chat: "Chat", changes: "Changes" } as const;
const KEYS = { screen: "o", chat: "d", changes: "v" } as const;

/** The tabs stand in each other's place: Back leaves the page. A desk keeps the one chosen last. */
export function PageTabs({ page }: { readonly page: Page }): JSX.Element | null {
  const { layout } = useBrowser();
  if (page.tabs.length < 2) return null;
  return (
    <Places
      label="Page"
      replaces
      onGo={(hash) => (layout.pageTab.value = tabOf(page, hash))}
      places={page.tabs.map((tab) => ({
        hash: paneHash(page.id, tab),
        label: LABELS[tab],
        isOn: tab === page.tab,
        end: (
          <>
            {tab === "changes" && page.files !== null && (
              <span class="numbers">
                {page.files}
                <span class="visually-hidden"> files</span>
              </span>
            )}
            {layout.columns.value === 3 && <KeyCaps keys={KEYS[tab]} />}
          </>
        ),
      }))}
    />
  );
}

const tabOf = ({ id, tabs }: Page, hash: string): PageTab =>
  tabs.find((tab) => paneHash(id, tab) === hash) ?? "screen";
