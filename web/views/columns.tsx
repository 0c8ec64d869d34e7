import type { ComponentChildren, ComponentType, JSX } from "preact";
import { useEffect } from "preact/hooks";
import type { Beside, Router } from "../state/browser/router.ts";
import { useBrowser, useClient, useServer } from "../state/client.ts";
import { Button } from "../ui/button.tsx";
import { common } from "../words/common.ts";
import { Dock, MasterHeader, NavigatorFooter, NavigatorHeader } from "./frame.tsx";
import {
  AgentInspector,
  AgentScreen,
  Inspector,
  PaneScreen,
  PlanInspector,
  ReviewBeside,
  ReviewInspector,
  ReviewPass,
  ReviewPlan,
  SideCard,
  TimelineScreen,
} from "./later.tsx";
import { NoPane } from "./pane/none.tsx";
import { Boundary, Failed } from "./parts/boundary.tsx";
import { useDerived } from "./parts/derived.ts";
import { SCREENS } from "./screens.tsx";

/** What width alone decides: one screen, or a list with what was opened from it beside it. */
export function Columns(): JSX.Element {
  const { layout } = useBrowser();
  useTrueRoute();
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

/** What of the review covers a phone. */
const REVIEW_PARTS = { one: ReviewPass, plan: ReviewPlan } as const;

function reviewPartOf({ route }: Router): keyof typeof REVIEW_PARTS | null {
  const { value } = route;
  return value.screen === "review" && value.part !== "list" ? value.part : null;
}

function ReviewPart({ part }: { readonly part: keyof typeof REVIEW_PARTS }): JSX.Element {
  const Part = REVIEW_PARTS[part];
  return <Part />;
}

/** Switched off meanwhile: a place that only the agent workspace has leads to what is always there. */
function useTrueRoute(): void {
  const { config, workspace } = useServer();
  const { router } = useBrowser();
  const facts = workspace.facts.value;
  const isOn = facts.step === "on";
  const { screen } = router.route.value;
  const isKnown = config.current.value !== null && facts.step !== "starting";
  const isMissing =
    (screen === "sessions" && !isOn) || (screen === "review" && !(isOn && facts.hasReview));
  useEffect(() => {
    if (isKnown && isMissing) router.replace(`#/${router.tab.peek()}`);
  }, [isKnown, isMissing]);
}

/** What stands beside a list: a pane, the session or the part of the review that was opened. */
function Detail({ id }: { readonly id: string | null }): JSX.Element {
  const { router } = useBrowser();
  const beside = router.beside.value;
  const agent = router.openAgent.value;
  return (
    <div class="column detail">
      <Screen key={agent?.id ?? beside}>
        {agent === null ? <BesideList beside={beside} id={id} /> : <AgentScreen id={agent.id} />}
      </Screen>
    </div>
  );
}

function BesideList(props: {
  readonly beside: Beside;
  readonly id: string | null;
}): JSX.Element | null {
  const { beside, id } = props;
  if (beside === "list") return <ReviewBeside />;
  if (beside === "timeline") return <TimelineScreen />;
  if (beside === "one" || beside === "plan") return <ReviewPart part={beside} />;
  return id === null ? <NoPane /> : <PaneScreen id={id} />;
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

/** The third column: what is known about the second, and what it asks. */
const THIRD: Readonly<Record<Beside, ComponentType<{ id: string | null }> | null>> = {
  pane: ({ id }) => (id === null ? null : <Inspector id={id} />),
  agent: OpenAgentInspector,
  timeline: null,
  list: () => <ReviewInspector />,
  one: null,
  plan: () => <PlanInspector />,
};

function OpenAgentInspector(): JSX.Element | null {
  const { router } = useBrowser();
  const agent = router.openAgent.value;
  return agent === null ? null : <AgentInspector id={agent.id} />;
}

function ThreeColumns(): JSX.Element {
  const { layout, router } = useBrowser();
  const id = useShownPane();
  const List = SCREENS[router.tab.value].wide;
  const hasNavigator = layout.hasNavigator.value;
  const Third = THIRD[router.beside.value];
  const hasInspector = layout.hasInspector.value && Third !== null;
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
      {hasInspector && (
        <Screen key={router.beside.value}>
          <Third id={id} />
        </Screen>
      )}
    </div>
  );
}
