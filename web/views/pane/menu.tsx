import type { JSX } from "preact";
import { isPlaceholder, type Pane } from "../../model/pane.ts";
import { useBrowser, useClient } from "../../state/client.ts";
import type { Server } from "../../state/server/server.ts";
import { TERMINAL_SIZES } from "../../state/browser/preferences.ts";
import { pane as words } from "../../words/pane.ts";
import { COPY_LINES, copyLast } from "../parts/copy.ts";
import { forgetTarget, toggleStar } from "./star.ts";
import { more } from "../more.tsx";
import { StopItem } from "../waiting/stop-item.tsx";
import { Sheet } from "../parts/sheet.tsx";
import { SwitchItem, MenuItem } from "../../ui/item.tsx";

/** More about one pane: how its terminal is shown, and what is rarely done with it. */
export function PaneMenu({ pane }: { readonly pane: Pane }): JSX.Element {
  const client = useClient();
  const { router } = client.browser;
  const agentId = client.server.agentIn(pane);
  const shown = router.shownPage.value;
  const isScreen = shown?.id !== pane.id || shown.tab === "screen";
  const then = (run: () => void) => () => router.close(run);
  return (
    <Sheet kind="menu" title="More">
      {isScreen && <TerminalItems pane={pane} />}
      <StopItem pane={pane} />
      <MenuItem icon="pencil" label="Rename" onClick={() => router.show("rename", pane.id)} />
      {client.server.may("type") && (
        <MenuItem
          icon="star"
          label={pane.starred ? "Remove star" : "Star"}
          onClick={then(() => void toggleStar(client, pane))}
        />
      )}
      {isPlaceholder(pane.id) && client.server.may("own") && (
        <MenuItem
          icon="close"
          label="Forget"
          onClick={then(() => void forgetTarget(client, pane))}
        />
      )}
      {client.server.config.has("web_push_v1") && (
        <MenuItem icon="bell" label="Mute alerts" onClick={() => router.show("mute", pane.id)} />
      )}
      <MenuItem
        icon="book"
        label="Pane details"
        onClick={() => router.show("pane-details", pane.id)}
      />
      <MenuItem
        icon="info"
        label="Why this status?"
        onClick={() => router.show("explain", pane.id)}
      />
      {canClose(client.server, pane) && (
        <MenuItem
          icon="close"
          label="Close pane"
          isDanger
          onClick={() => router.show("close-pane", pane.id)}
        />
      )}
      {agentId !== null && <more.AgentItems key={agentId} id={agentId} paneId={pane.id} />}
    </Sheet>
  );
}

/** How its terminal is shown, and what is done with its lines. */
function TerminalItems({ pane }: { readonly pane: Pane }): JSX.Element {
  const client = useClient();
  const { preferences, router, terminal } = client.browser;
  const { wrap, colours } = preferences.current.value;
  const then = (run: () => void) => () => router.close(run);
  return (
    <>
      <SizeRow />
      <SwitchItem
        icon="wrap"
        label="Wrap lines"
        isOn={wrap}
        onChange={(on) => preferences.set({ wrap: on })}
      />
      <SwitchItem
        icon="toEnd"
        label="Follow the tail"
        isOn={terminal.isFollowing.value}
        onChange={(on) => {
          terminal.isFollowing.value = on;
        }}
      />
      <SwitchItem
        icon="screen"
        label="Terminal colours"
        isOn={colours}
        onChange={(on) => preferences.set({ colours: on })}
      />
      <hr />
      <MenuItem
        icon="search"
        label="Find in output"
        onClick={then(() => {
          terminal.isFinding.value = true;
        })}
      />
      <MenuItem
        icon="copy"
        label={words.copyLast(COPY_LINES)}
        onClick={then(() => copyLast(client, pane))}
      />
      <hr />
    </>
  );
}

/** Only what was created here, unless the server allows all. */
function canClose(server: Server, pane: Pane): boolean {
  const { pane_close_v1: close } = server.config.current.value?._info.capabilities ?? {};
  const isOffered = close?.enabled === true && server.may("type") && !isPlaceholder(pane.id);
  return isOffered && (close.all || pane.capabilities.delete);
}

function SizeRow(): JSX.Element {
  const { preferences } = useBrowser();
  const size = preferences.current.value.terminalSize;
  const set = (next: number) => preferences.set({ terminalSize: next });
  return (
    <div class="item" role="group" aria-label="Text size">
      <span class="grow">Text size</span>
      <span class="stepper">
        <button
          type="button"
          class="smaller"
          aria-label="Smaller text"
          disabled={size <= TERMINAL_SIZES.min}
          onClick={() => set(size - 1)}
        >
          A
        </button>
        <span class="numbers" aria-live="polite">
          {`${size} px`}
        </span>
        <button
          type="button"
          class="larger"
          aria-label="Larger text"
          disabled={size >= TERMINAL_SIZES.max}
          onClick={() => set(size + 1)}
        >
          A
        </button>
      </span>
    </div>
  );
}
