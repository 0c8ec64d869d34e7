import type { ComponentChildren, JSX } from "preact";
import { useEffect } from "preact/hooks";
import type { Router } from "./state/browser/router.ts";
import { useBrowser, useClient, useServer } from "./state/client.ts";
import { Incompatible } from "./views/connection/incompatible.tsx";
import { SignIn } from "./views/connection/sign-in.tsx";
import { Dock, MasterHeader, NavigatorFooter, NavigatorHeader } from "./views/frame.tsx";
import { Overlays } from "./views/overlays.tsx";
import { Inspector, loadPaneViews, PaneScreen, SideCard } from "./views/pane/later.tsx";
import { NoPane } from "./views/pane/none.tsx";
import { AgentScreen } from "./views/agents/later.tsx";
import { Boundary, Failed } from "./views/parts/boundary.tsx";
import { useDerived } from "./views/parts/derived.ts";
import { ReviewPass, ReviewPlan } from "./views/review/later.tsx";
import { SCREENS } from "./views/screens.tsx";
import { useShortcuts } from "./views/shortcuts.ts";
import { Button } from "./ui/button.tsx";
import { common } from "./words/common.ts";

/** The whole client. Width alone decides the columns; crossing a breakpoint keeps the pane. */
export function App(): JSX.Element {
  const client = useClient();
  const { phase } = client.server;
  const { preferences, router } = client.browser;
  const { theme } = preferences.current.value;
  useShortcuts();
  useViewsAhead();
  useEffect(() => {
    if (theme === "system") delete document.documentElement.dataset.theme;
    else document.documentElement.dataset.theme = theme;
  }, [theme]);
  const shown = phase.value;
  if (shown === "unauthorized" || router.route.value.screen === "signin") return <SignIn />;
  if (shown === "incompatible") return <Incompatible />;
  return (
    <>
      <div class="app" data-behind-sheets>
        <a class="skip-link" href="#content" onClick={skip}>
          {common.skipToContent}
        </a>
        <Columns />
      </div>
      <Overlays />
    </>
  );
}

/** Asks for the views of a pane before they are needed: at once where one is on the screen. */
function useViewsAhead(): void {
  const { panes } = useServer();
  const { layout, router, wantsLowData } = useBrowser();
  const isNeeded = layout.columns.value > 1 || router.openPane.value !== null;
  const isWanted = isNeeded || (panes.isLoaded.value && !wantsLowData);
  useEffect(() => {
    if (!isWanted) return;
    // Whoever draws them says when they cannot be loaded.
    loadPaneViews().catch(() => undefined);
  }, [isWanted]);
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
  const tab = router.tab.value;
  if (id !== null)
    return (
      <Screen key={id} isWhole>
        <PaneScreen id={id} />
      </Screen>
    );
  const part = reviewPartOf(router);
  if (part !== null)
    return (
      <Screen key={part} isWhole>
        <ReviewPart part={part} />
      </Screen>
    );
  const agent = router.openAgent.value;
  if (agent !== null)
    return (
      <Screen key={agent.id} isWhole>
        <AgentScreen id={agent.id} />
      </Screen>
    );
  const List = SCREENS[tab].narrow;
  return (
    <div class="one-column">
      <Screen key={tab}>
        <List />
      </Screen>
      <Dock />
    </div>
  );
}

/** One screen or column: what fails in it leaves the others as they are. */
function Screen(props: {
  readonly children: ComponentChildren;
  /** Nothing stands around it that leads elsewhere. */
  readonly isWhole?: boolean;
}): JSX.Element {
  const { router } = useBrowser();
  const instead = (retry: () => void) => (
    <div class="scroll">
      <Failed onRetry={retry} />
      {props.isWhole && (
        <p class="empty brief">
          <Button onClick={() => router.goTab("queue")}>{common.tabs.queue}</Button>
        </p>
      )}
    </div>
  );
  return <Boundary instead={instead}>{props.children}</Boundary>;
}

/** What of the review covers a phone, and stands beside the list where there is room. */
const REVIEW_PARTS = { one: ReviewPass, plan: ReviewPlan } as const;

function reviewPartOf({ route }: Router): keyof typeof REVIEW_PARTS | null {
  const { value } = route;
  return value.screen === "review" && value.part !== "list" ? value.part : null;
}

function ReviewPart({ part }: { readonly part: keyof typeof REVIEW_PARTS }): JSX.Element {
  const Part = REVIEW_PARTS[part];
  return <Part />;
}

/** What stands beside a list: a pane, or the session or a part of the review that was opened. */
function Detail({ id }: { readonly id: string | null }): JSX.Element {
  const { router } = useBrowser();
  const agent = router.openAgent.value;
  if (agent !== null)
    return (
      <div class="column detail">
        <Screen key={agent.id}>
          <AgentScreen id={agent.id} />
        </Screen>
      </div>
    );
  const part = reviewPartOf(router);
  const pane = id === null ? <NoPane /> : <PaneScreen id={id} />;
  return (
    <div class="column detail">
      <Screen>{part === null ? pane : <ReviewPart key={part} part={part} />}</Screen>
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
            <Screen key={router.tab.value}>
              <List />
            </Screen>
          </>
        )}
      </section>
      <Detail id={id} />
    </div>
  );
}

function ThreeColumns(): JSX.Element {
  const { layout, router } = useBrowser();
  const id = useShownPane();
  const List = SCREENS[router.tab.value].wide;
  const hasNavigator = layout.hasNavigator.value;
  // It tells of a pane, and none is on the screen while a session or a part of the review is.
  const hasPane = router.openAgent.value === null && reviewPartOf(router) === null;
  const hasInspector = layout.hasInspector.value && hasPane;
  const hidden = `${hasNavigator ? "" : "no-navigator"} ${hasInspector ? "" : "no-inspector"}`;
  return (
    <div class={`columns three ${hidden}`}>
      {hasNavigator && (
        <section class="column navigator" aria-label={common.lists}>
          <NavigatorHeader />
          <Screen key={router.tab.value}>
            <List />
          </Screen>
          <NavigatorFooter />
        </section>
      )}
      <Detail id={id} />
      {hasInspector && id !== null && (
        <Screen>
          <Inspector id={id} />
        </Screen>
      )}
    </div>
  );
}
