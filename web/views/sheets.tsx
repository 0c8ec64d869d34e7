import type { ComponentType } from "preact";
import type { Pane } from "../model/pane.ts";
import { AGENT_SHEETS } from "./agents/names.ts";
import { AgentSheet } from "./agents/later.tsx";
import { SortSheet } from "./navigator/sort.tsx";
import { PaneMenu, RenameSheet } from "./pane/later.tsx";
import { laterView } from "./parts/lazy.tsx";
import { SETTINGS_SHEETS } from "./settings/names.ts";

// One for all its names: Back from a page of the settings returns to the sheet that is there.
const SettingsSheet = laterView(
  async () => (await import("./settings/settings.tsx")).SettingsSheet,
);

/** Sheets by the name that `router.show` is called with. What few open is loaded when it is opened. */
export const SHEETS: Readonly<Record<string, ComponentType>> = {
  ...Object.fromEntries(AGENT_SHEETS.map((name) => [name, AgentSheet])),
  broadcast: laterView(async () => (await import("./broadcast/broadcast.tsx")).BroadcastSheet),
  create: laterView(async () => (await import("./create/create.tsx")).CreateSheet),
  palette: laterView(async () => (await import("./palette/palette.tsx")).Palette),
  ...Object.fromEntries(SETTINGS_SHEETS.map((name) => [name, SettingsSheet])),
  shortcuts: laterView(async () => (await import("./help/shortcuts.tsx")).ShortcutHelp),
  sort: SortSheet,
};

/** Sheets about one pane; they close when it is gone. */
export const PANE_SHEETS: Readonly<Record<string, ComponentType<{ readonly pane: Pane }>>> = {
  explain: laterView(async () => (await import("./explain/explain.tsx")).ExplainSheet),
  mute: laterView(async () => (await import("./pane/mute.tsx")).MuteSheet),
  "pane-menu": PaneMenu,
  rename: RenameSheet,
};
