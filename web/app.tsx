import type { JSX } from "preact";
import { useEffect } from "preact/hooks";
import { useBrowser, useClient } from "./state/client.ts";
import { Incompatible } from "./views/connection/incompatible.tsx";
import { SignIn } from "./views/connection/sign-in.tsx";
import { Dock, MasterHeader, NavigatorFooter, NavigatorHeader } from "./views/frame.tsx";
import { Overlays } from "./views/overlays.tsx";
import { Inspector } from "./views/pane/inspector.tsx";
import { NoPane, PaneScreen } from "./views/pane/pane.tsx";
import { SideCard } from "./views/pane/side-card.tsx";
import { useDerived } from "./views/parts/derived.ts";
import { SCREENS } from "./views/screens.tsx";
import { useShortcuts } from "./views/shortcuts.ts";
import { common } from "./words/common.ts";

/** The whole client. Width alone decides the columns; crossing a breakpoint keeps the pane. */
export function App(): JSX.Element {
  const client = useClient();
  const { phase } = client.server;
  const { preferences, router } = client.browser;
  const { theme } = preferences.current.value;
  useShortcuts();
  useEffect(() => {
    if (theme === "system") delete document.documentElement.dataset.theme;
    else document.documentElement.dataset.theme = theme;
  }, [theme]);
  const shown = phase.value;
  if (shown === "unauthorized" || router.route.value.screen === "signin") return <SignIn />;
  if (shown === "incompatible") return <Incompatible />;
  const isCovered = router.sheet.value !== null;
  return (
    <>
      <div class="app" inert={isCovered}>
        <a class="skip-link" href="#content" onClick={skip}>
          {common.skipToContent}
        </a>
        <Columns />
      </div>
      <Overlays />
    </>
  );
}

/** The hash is the route, so the link moves the focus itself. */
function skip(event: MouseEvent): void {
  event.preventDefault();
  const content = document.getElementById("content");
  content?.setAttribute("tabindex", "-1");
  content?.focus();
}

function Columns(): JSX.Element {
  const { layout } = useBrowser();
  if (layout.columns.value === 1) return <OneColumn />;
  return layout.columns.value === 2 ? <TwoColumns /> : <ThreeColumns />;
}

function OneColumn(): JSX.Element {
  const { router } = useBrowser();
  const id = router.openPane.value;
  if (id !== null) return <PaneScreen id={id} />;
  const Screen = SCREENS[router.tab.value].narrow;
  return (
    <div class="one-column">
      <Screen />
      <Dock />
    </div>
  );
}

/** The pane beside a list: the one that was opened, else the one that waits longest. */
function useShownPane(): string | null {
  const client = useClient();
  const { panes } = client.server;
  const { router } = client.browser;
  const shown = router.shownPane.value;
  const isLoaded = panes.isLoaded.value;
  const hasPanes = useDerived(() => panes.all.value.length > 0, []);
  useEffect(() => {
    if (shown !== null || !isLoaded) return;
    router.shownPane.value = (client.server.nextWaiting(null) ?? panes.all.value[0])?.id ?? null;
  }, [shown, isLoaded, hasPanes]);
  return shown;
}

function TwoColumns(): JSX.Element {
  const { layout, router } = useBrowser();
  const id = useShownPane();
  const List = SCREENS[router.tab.value].wide;
  const hasCard = layout.isLow.value && router.openPane.value !== null;
  return (
    <div class="columns two">
      <section class="column master" aria-label={common.lists}>
        {hasCard ? (
          <SideCard id={router.openPane.value ?? ""} />
        ) : (
          <>
            <MasterHeader />
            <List />
          </>
        )}
      </section>
      <div class="column detail">{id === null ? <NoPane /> : <PaneScreen id={id} />}</div>
    </div>
  );
}

function ThreeColumns(): JSX.Element {
  const { layout, router } = useBrowser();
  const id = useShownPane();
  const List = SCREENS[router.tab.value].wide;
  const hasNavigator = layout.hasNavigator.value;
  const hasInspector = layout.hasInspector.value;
  const hidden = `${hasNavigator ? "" : "no-navigator"} ${hasInspector ? "" : "no-inspector"}`;
  return (
    <div class={`columns three ${hidden}`}>
      {hasNavigator && (
        <section class="column navigator" aria-label={common.lists}>
          <NavigatorHeader />
          <List />
          <NavigatorFooter />
        </section>
      )}
      <div class="column detail">{id === null ? <NoPane /> : <PaneScreen id={id} />}</div>
      {hasInspector && id !== null && <Inspector id={id} />}
    </div>
  );
}
