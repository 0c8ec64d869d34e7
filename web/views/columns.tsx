import type { ComponentChildren, JSX } from "preact";
import { useBrowser } from "../state/client.ts";
import { Button } from "../ui/button.tsx";
import { common } from "../words/common.ts";
import { Dock } from "./frame.tsx";
import { more } from "./more.tsx";
import { Boundary, Failed } from "./parts/boundary.tsx";
import { SCREENS } from "./screens.tsx";

/** What width alone decides: one screen, or a list with what was opened from it beside it. */
export function Columns(): JSX.Element {
  const { layout } = useBrowser();
  if (layout.columns.value === 1) return <OneColumn />;
  return layout.columns.value === 2 ? <more.TwoColumns /> : <more.ThreeColumns />;
}

function OneColumn(): JSX.Element {
  const { router } = useBrowser();
  const id = router.openPane.value;
  const tab = router.tab.value;
  if (id !== null)
    return (
      <Screen key={id} isWhole>
        <more.PaneScreen id={id} />
      </Screen>
    );
  if (router.beside.value === "pass")
    return (
      <Screen key="pass" isWhole>
        <more.QueuePass />
      </Screen>
    );
  if (router.route.value.screen === "phone")
    return (
      <Screen key="phone" isWhole>
        <more.PhonePage />
      </Screen>
    );
  const agent = router.openAgent.value;
  if (agent !== null)
    return (
      <Screen key={agent.id} isWhole>
        <more.AgentScreen id={agent.id} at={agent.at} />
      </Screen>
    );
  const List = router.beside.value === "record" ? more.RecordPage : SCREENS[tab];
  return (
    <div class="one-column stack relative">
      <Screen key={List === more.RecordPage ? "record" : tab}>
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
