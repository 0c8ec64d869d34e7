import type { JSX } from "preact";
import { useEffect, useRef } from "preact/hooks";
import { waits, type Pane } from "../../model/pane.ts";
import type { PageTab } from "../../state/browser/router.ts";
import { useBrowser, useClient } from "../../state/client.ts";
import { pane as words } from "../../words/pane.ts";
import { useFreeform } from "../answer/reply.tsx";
import { Banner } from "../connection/banner.tsx";
import { more } from "../more.tsx";
import { useWorkspace } from "../agents/use.ts";
import { usePane } from "../parts/derived.ts";
import { DockedPrompt } from "./docked.tsx";
import { PaneFoot } from "./foot.tsx";
import { LowTools, PaneHead } from "./header.tsx";
import { PageTabs, usePage } from "./tabs.tsx";
import { Keys } from "./keys.tsx";
import { ContextBar } from "../parts/context.tsx";
import { Parked, ParkedDock } from "../parked/parked.tsx";
import { WaitingDock } from "../waiting/dock.tsx";
import { Terminal } from "./terminal.tsx";
import { BackButton } from "../parts/head.tsx";
import { Empty } from "../../ui/empty.tsx";

/** One pane and its agent: the screen, what was said, what changed; what it asks and the message to it. */
export function PaneScreen({ id }: { readonly id: string }): JSX.Element {
  const client = useClient();
  const { panes } = client.server;
  const { layout, terminal } = client.browser;
  const last = useRef<Pane | null>(null);
  const pane = usePane(id).value;
  if (pane !== null) last.current = pane;
  const page = usePage(id, pane ?? last.current);
  const agent = useWorkspace()?.known(page.agentId ?? "") ?? null;
  useEffect(() => {
    terminal.open(id);
    return () => {
      if (client.browser.router.openPane.peek() !== id) terminal.leave();
    };
  }, [id]);
  const gone = last.current?.id === id ? last.current : null;
  // What is not there any more takes nothing.
  const shown = pane ?? (gone && { ...gone, actionable: false });
  if (shown === null) return panes.isLoaded.value ? <Gone /> : <div class="pane" />;
  const isNarrow = layout.columns.value === 1;
  const isLow = layout.isLow.value;
  const hasHead = isNarrow || !isLow;
  return (
    <main class={`pane ${isLow ? "low" : ""}`} id="content" aria-label={shown.name}>
      {hasHead && <PaneHead pane={shown} page={page} />}
      {isNarrow && <Banner />}
      {!(layout.hasThird.value && hasHead) && <PageTabs page={page} />}
      {!isLow && <ContextBar pane={shown} agent={agent} />}
      <div class="pane-body">
        {page.tab === "screen" && <Terminal key={id} pane={shown} />}
        {page.tab === "chat" && (
          <more.ChatTab key={page.agentId} id={page.agentId ?? ""} at={page.at} />
        )}
        {page.tab === "changes" && <more.ChangesTab key={id} id={id} path={page.at} />}
        {isNarrow && isLow && (
          <div class="side-prompt scroll">
            <Parked pane={shown} class="card" />
            <WaitingDock pane={shown} />
            <DockedPrompt key={id} pane={shown} isDocked={false} />
          </div>
        )}
      </div>
      {isLow && page.tab === "screen" && <LowTools pane={shown} />}
      <Foot key={id} pane={shown} tab={page.tab} isGone={pane === null} />
    </main>
  );
}

function Foot(props: {
  readonly pane: Pane;
  readonly tab: PageTab;
  readonly isGone: boolean;
}): JSX.Element {
  const { pane, tab, isGone } = props;
  const { layout, terminal } = useBrowser();
  const freeform = useFreeform(pane);
  const isLow = layout.isLow.value;
  const isDocked = layout.columns.value < 3 && !isLow;
  const isBeside = layout.columns.value === 3 && layout.hasInspector.value;
  const isSaid = waits(pane) && (isDocked || isBeside);
  // A low screen has its keys behind a button, which stands below the terminal alone.
  const hasInput = isLow && tab === "screen" ? terminal.hasInput.value : freeform === null;
  return (
    <>
      {isDocked && <ParkedDock pane={pane} />}
      {isDocked && (
        <DockedPrompt
          pane={pane}
          isDocked
          withExcerpt={tab !== "screen"}
          isFolded={tab === "changes"}
        />
      )}
      {!isLow && <WaitingDock pane={pane} />}
      {hasInput && (
        <PaneFoot pane={pane} isGone={isGone} isSaid={isSaid}>
          {tab === "screen" && <Keys pane={pane} />}
        </PaneFoot>
      )}
    </>
  );
}

function Gone(): JSX.Element {
  const { layout } = useBrowser();
  return (
    <main class="pane" id="content">
      {layout.columns.value === 1 && (
        <header class="bar">
          <BackButton text="Back" />
        </header>
      )}
      <Empty title="This pane is gone" text={words.goneText} level={1} />
    </main>
  );
}
