import { isPlaceholder, type Pane } from "../../model/pane.ts";
import { TERMINAL_SIZES } from "../../state/browser/preferences.ts";
import type { Client } from "../../state/client.ts";
import type { Server } from "../../state/server/server.ts";
import { Settings } from "../../state/server/settings.ts";
import { Stops } from "../../state/server/stops.ts";
import type { IconName } from "../../ui/icons.tsx";
import { COPY_LINES, copyLast } from "../parts/copy-lines.tsx";

export interface PaneAct {
  readonly label: string;
  readonly icon: IconName;
  /** Absent: always. */
  readonly can?: (server: Server, pane: Pane) => boolean;
  readonly run: (client: Client, pane: Pane) => unknown;
  /** It opens a sheet about the pane. */
  readonly isSheet?: boolean;
  /** It takes something away for good. */
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

/** What is done with a pane and how its terminal is shown, for its menu, its tools, keys and the palette. */
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
  rename: opens("rename", "Rename", "pencil"),
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

/** Lets go of a target that stands for no pane any more: its name, kind and star with it. */
async function forgetTarget({ browser, server }: Client, pane: Pane): Promise<void> {
  const result = await server
    .part(Settings)
    .change("overrides", (all) => all.filter(({ target }) => target !== pane.target));
  if (!result.ok) browser.messages.alert("It was not forgotten.");
  else if (browser.router.openPane.peek() === pane.id) browser.router.back();
}

/** Only what was created here, unless the server allows all. */
function canClose(server: Server, pane: Pane): boolean {
  const { pane_close_v1: close } = server.config.current.value?._info.capabilities ?? {};
  const isOffered = close?.enabled === true && server.may("type") && !isPlaceholder(pane.id);
  return isOffered && (close.all || pane.capabilities.delete);
}
