import type { JSX } from "preact";
import type { Pane } from "../../model/pane.ts";
import { TERMINAL_SIZES } from "../../state/browser/preferences.ts";
import { useClient } from "../../state/client.ts";
import { IconButton } from "../../ui/button.tsx";
import { Item, MenuItem, SwitchItem } from "../../ui/item.tsx";
import { more } from "../more.tsx";
import { SheetButton } from "../parts/links.tsx";
import { Sheet } from "../parts/sheet.tsx";
import { PANE_ACTS, resize, type PaneAct } from "./acts.ts";

const { wrap, follow, colours, find, copy, stop, star, ...others } = PANE_ACTS;
const { rename, ...rare } = others;

/** More about one pane: how its terminal is shown, and what is rarely done with it. */
export function PaneMenu({ pane }: { readonly pane: Pane }): JSX.Element {
  const client = useClient();
  const { router } = client.browser;
  const agentId = client.server.agentIn(pane);
  const shown = router.shownPage.value;
  const isScreen = shown?.id !== pane.id || shown.tab === "screen";
  const rows = (acts: readonly PaneAct[]) =>
    acts
      .filter(({ can }) => can?.(client.server, pane) !== false)
      .map(({ label, icon, run, isSheet = false, isDanger = false }) => {
        const act = () => void run(client, pane);
        return (
          <MenuItem
            key={label}
            {...{ icon, isDanger }}
            label={label === star.label && pane.starred ? "Remove star" : label}
            onClick={isSheet ? act : () => router.close(act)}
          />
        );
      });
  return (
    <Sheet kind="menu" title="More">
      {isScreen && (
        <>
          <TerminalSize />
          {[wrap, follow, colours].map(({ label, icon, isOn, run }) => (
            <SwitchItem
              key={label}
              {...{ label, icon }}
              isOn={isOn(client)}
              onChange={() => run(client)}
            />
          ))}
          <hr />
          {rows([find, copy])}
          <hr />
        </>
      )}
      {rows([stop, rename, star, ...Object.values(rare)])}
      {agentId !== null && <more.AgentItems key={agentId} id={agentId} paneId={pane.id} />}
    </Sheet>
  );
}

/** Below a low terminal nothing docks: its tools stand in one thin bar. */
export function LowTools({ pane }: { readonly pane: Pane }): JSX.Element {
  const client = useClient();
  const { hasInput } = client.browser.terminal;
  return (
    <div class="low-tools flex rigid rule">
      <IconButton
        icon="keyboard"
        label="Keys and message"
        aria-pressed={hasInput.value}
        onClick={() => {
          hasInput.value = !hasInput.value;
        }}
      />
      <span class="grow" />
      <SheetButton icon="textSize" label="Text size" opens="pane-menu" paneId={pane.id} />
      {[wrap, find, { ...copy, isOn: () => undefined }, follow].map((act) => (
        <IconButton
          key={act.label}
          icon={act.icon}
          label={act.label}
          aria-pressed={act.isOn(client)}
          onClick={() => void act.run(client, pane)}
        />
      ))}
    </div>
  );
}

/** The size of the text of terminals, in this browser. */
export function TerminalSize(): JSX.Element {
  const client = useClient();
  const size = client.browser.preferences.current.value.terminalSize;
  const step = (label: string, by: 1 | -1, end: number) => (
    <button
      type="button"
      class={by > 0 ? "larger" : "smaller"}
      aria-label={label}
      disabled={size === end}
      onClick={() => resize(client, by)}
    >
      A
    </button>
  );
  return (
    <Item label="Text size">
      <span class="stepper inline fs-13 fill round-2" role="group" aria-label="Text size">
        {step("Smaller text", -1, TERMINAL_SIZES.min)}
        <span class="numbers" aria-live="polite">{`${size} px`}</span>
        {step("Larger text", 1, TERMINAL_SIZES.max)}
      </span>
    </Item>
  );
}
