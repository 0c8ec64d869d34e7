import type { ComponentChildren, JSX } from "preact";
import { useEffect } from "preact/hooks";
import { useBrowser, useServer } from "../state/client.ts";
import { Button } from "../ui/button.tsx";
import { common } from "../words/common.ts";
import { Dock } from "./frame.tsx";
import {
  AgentScreen,
  ChangesPage,
  PaneScreen,
  PhonePage,
  RecordPage,
  QueuePass,
  ThreeColumns,
  TwoColumns,
} from "./later.tsx";
import { Boundary, Failed } from "./parts/boundary.tsx";
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
  if (router.beside.value === "pass")
    return (
      <Screen key="pass" isWhole>
        <QueuePass />
      </Screen>
    );
  if (router.route.value.screen === "phone")
    return (
      <Screen key="phone" isWhole>
        <PhonePage />
      </Screen>
    );
  const changes = router.openChanges.value;
  if (changes !== null)
    return (
      <Screen key="changes" isWhole>
        <ChangesPage {...changes} />
      </Screen>
    );
  const agent = router.openAgent.value;
  if (agent !== null)
    return (
      <Screen key={agent.id} isWhole>
        <AgentScreen id={agent.id} />
      </Screen>
    );
  const List = router.beside.value === "record" ? RecordPage : SCREENS[tab];
  return (
    <div class="one-column">
      <Screen key={List === RecordPage ? "record" : tab}>
        <List />
      </Screen>
      <Dock />
    </div>
  );
}

/** One screen or column: what fails in it leaves the others as they are. */
export function Screen(props: {
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

/** Switched off meanwhile: a place that only the agent workspace has leads to what is always there. */
function useTrueRoute(): void {
  const { config, workspace } = useServer();
  const { router } = useBrowser();
  const facts = workspace.facts.value;
  const isOn = facts.step === "on";
  const { screen } = router.route.value;
  const isKnown = config.current.value !== null && facts.step !== "starting";
  const isMissing = screen === "sessions" && !isOn;
  useEffect(() => {
    if (isKnown && isMissing) router.replace(`#/${router.tab.peek()}`);
  }, [isKnown, isMissing]);
}
