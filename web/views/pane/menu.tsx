import type { JSX } from "preact";
import { type Pane, isPlaceholder } from "../../model/pane.ts";
import { TERMINAL_SIZES } from "../../state/browser/preferences.ts";
import { useClient, type Client } from "../../state/client.ts";
import { IconButton, type IconName } from "../../ui/button.tsx";
import { Item, MenuItem, SwitchItem } from "../../ui/item.tsx";
import { AgentItems } from "../agents/sheets.tsx";
import { SheetButton } from "../parts/links.tsx";
import { usePage } from "./head.tsx";
import { Sheet } from "../parts/sheet.tsx";
import type { Server } from "../../state/server/server.ts";
import { Settings } from "../../state/server/settings.ts";
import { Stops } from "../../state/server/stops.ts";
import { COPY_LINES, copyLast } from "../parts/lines.tsx";

export interface PaneAct {
  readonly label: string;
  readonly icon: IconName;
  /** Absent: always. */
  readonly can?: (server: Server, pane: Pane) => boolean;
  readonly run: (client: Client, pane: Pane) => unknown;
  readonly isSheet?: boolean;
  readonly isDanger?: boolean;
}

const opens = (sheet: string, label: string, icon: IconName) => ({
  ...{ label, icon, isSheet: true },
  run: ({ browser: { router } }: Client, pane: Pane) => router.show(sheet, pane.id),
});
const setting = (name: "wrap" | "colours", label: string, icon: IconName) => ({
  ...{ label, icon },
  isOn: ({ browser: { preferences } }: Client) => preferences.current.value[name],
  run: ({ browser: { preferences } }: Client) =>
    preferences.set({ [name]: !preferences.current.peek()[name] }),
});
const mode = (name: "isFollowing" | "isFinding", label: string, icon: IconName) => ({
  ...{ label, icon },
  isOn: ({ browser: { terminal } }: Client) => terminal[name].value,
  run: ({ browser: { terminal } }: Client) => {
    terminal[name].value = !terminal[name].peek();
  },
});

/** For the menu of a pane, the tools below a low terminal, keys and the palette. */
export const PANE_ACTS = {
  wrap: setting("wrap", "Wrap lines", "wrap"),
  follow: mode("isFollowing", "Follow the tail", "toEnd"),
  colours: setting("colours", "Terminal colours", "screen"),
  find: mode("isFinding", "Find in output", "search"),
  copy: { label: `Copy last ${COPY_LINES} lines`, icon: "copy", run: copyLast },
  stop: {
    ...{ label: "Stop", icon: "stop" },
    can: (server, pane) => server.part(Stops).can(pane) && server.can("type"),
    run: ({ server }, pane) => server.part(Stops).press(pane),
  },
  rename: { ...opens("rename", "Rename", "pencil"), can: (server) => server.may("own") },
  star: {
    ...{ label: "Star", icon: "star", run: toggleStar },
    can: (server) => server.may("type"),
  },
  forget: {
    ...{ label: "Forget", icon: "close", run: forgetTarget },
    can: (server, pane) => isPlaceholder(pane.id) && server.may("own"),
  },
  mute: {
    ...opens("mute", "Mute alerts", "bell"),
    can: ({ config }) => config.has("web_push_v1"),
  },
  details: opens("pane-details", "Pane details", "book"),
  explain: {
    ...opens("explain", "Why this status?", "info"),
    can: ({ config }) => config.has("explain_v1"),
  },
  close: { ...opens("close-pane", "Close pane", "close"), can: canClose, isDanger: true },
} as const satisfies Readonly<Record<string, PaneAct>>;

/** One pixel more or less for the text of terminals, within its bounds. */
export function resize({ browser: { preferences } }: Client, by: 1 | -1): void {
  const { min, max } = TERMINAL_SIZES;
  const size = preferences.current.peek().terminalSize + by;
  preferences.set({ terminalSize: Math.max(min, Math.min(max, size)) });
}

/** Stars or unstars a pane at once; taken back with a message when the server does not save it. */
export async function toggleStar({ browser, server }: Client, pane: Pane): Promise<void> {
  const { api, panes } = server;
  const starred = !pane.starred;
  const saved = panes.overlay(pane.id, { starred });
  const result = await api.call("POST /api/star", { json: { target: pane.target, starred } });
  saved(result.ok);
  if (!result.ok) browser.messages.alert("The star could not be saved.");
}

/** Removes a target that has no pane any more, with its name, kind and star. */
async function forgetTarget({ browser, server }: Client, pane: Pane): Promise<void> {
  const here = browser.router.here();
  const result = await server
    .part(Settings)
    .change("overrides", (all) => all.filter(({ target }) => target !== pane.target));
  if (!result.ok) browser.messages.alert("It was not forgotten.");
  else if (browser.router.openPane.peek() === pane.id) here(() => browser.router.back());
}

/** Only what was created here, unless the server allows all. */
function canClose(server: Server, pane: Pane): boolean {
  const { pane_close_v1: close } = server.config.current.value?._info.capabilities ?? {};
  const isOffered = close?.enabled === true && server.may("type") && !isPlaceholder(pane.id);
  return isOffered && (close.all || pane.capabilities.delete);
}

const { wrap, follow, colours, find, copy, stop, star, ...others } = PANE_ACTS;
const { rename, ...rare } = others;

export function PaneMenu({ pane }: { readonly pane: Pane }): JSX.Element {
  const client = useClient();
  const { router } = client.browser;
  const { agentId, tab } = usePage(pane.id, pane);
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
      {tab === "screen" && (
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
      {agentId !== null && <AgentItems key={agentId} id={agentId} paneId={pane.id} />}
    </Sheet>
  );
}

export function LowTools({ pane }: { readonly pane: Pane }): JSX.Element {
  const client = useClient();
  const { hasInput } = client.browser.terminal;
  return (
    <div class="low-tools flex rigid terminal-ground rule">
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

export function TerminalSize(): JSX.Element {
  const client = useClient();
  const size = client.browser.preferences.current.value.terminalSize;
  const step = (label: string, by: 1 | -1, end: number) => (
    <button
      type="button"
      class={by > 0 ? "centred larger" : "centred"}
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
