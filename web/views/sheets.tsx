import type { ComponentType } from "preact";
import type { Pane } from "../model/pane.ts";
import { AGENT_SHEETS } from "./agents/names.ts";
import { more } from "./more.tsx";
import { SETTINGS_SHEETS } from "./settings/names.ts";

/** Sheets by the name that `router.show` is called with. */
export const SHEETS: Readonly<Record<string, ComponentType>> = {
  ...Object.fromEntries(AGENT_SHEETS.map((name) => [name, more.AgentSheet])),
  broadcast: more.BroadcastSheet,
  create: more.CreateSheet,
  palette: more.Palette,
  // One for all its names: Back from a page of the settings returns to the sheet that is there.
  ...Object.fromEntries(SETTINGS_SHEETS.map((name) => [name, more.SettingsSheet])),
  shortcuts: more.ShortcutHelp,
  sort: more.SortSheet,
};

/** Sheets about one pane; they close when it is gone. */
export const PANE_SHEETS: Readonly<Record<string, ComponentType<{ readonly pane: Pane }>>> = {
  "close-pane": more.ClosePaneSheet,
  "discard-remarks": more.DiscardRemarks,
  explain: more.ExplainSheet,
  mute: more.MuteSheet,
  "pane-details": more.PaneDetails,
  "pane-menu": more.PaneMenu,
  rename: more.RenameSheet,
  "send-remarks": more.SendRemarks,
};
