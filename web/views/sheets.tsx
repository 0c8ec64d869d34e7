import type { ComponentType } from "preact";
import type { Pane } from "../model/pane.ts";
import { AGENT_SHEETS } from "./agents/names.ts";
import {
  AgentSheet,
  BroadcastSheet,
  ClosePaneSheet,
  CreateSheet,
  DiscardRemarks,
  ExplainSheet,
  MuteSheet,
  Palette,
  PaneDetails,
  PaneMenu,
  RenameSheet,
  SendRemarks,
  SettingsSheet,
  ShortcutHelp,
  SortSheet,
} from "./later.tsx";
import { SETTINGS_SHEETS } from "./settings/names.ts";

/** Sheets by the name that `router.show` is called with. */
export const SHEETS: Readonly<Record<string, ComponentType>> = {
  ...Object.fromEntries(AGENT_SHEETS.map((name) => [name, AgentSheet])),
  broadcast: BroadcastSheet,
  create: CreateSheet,
  palette: Palette,
  // One for all its names: Back from a page of the settings returns to the sheet that is there.
  ...Object.fromEntries(SETTINGS_SHEETS.map((name) => [name, SettingsSheet])),
  shortcuts: ShortcutHelp,
  sort: SortSheet,
};

/** Sheets about one pane; they close when it is gone. */
export const PANE_SHEETS: Readonly<Record<string, ComponentType<{ readonly pane: Pane }>>> = {
  "close-pane": ClosePaneSheet,
  "discard-remarks": DiscardRemarks,
  explain: ExplainSheet,
  mute: MuteSheet,
  "pane-details": PaneDetails,
  "pane-menu": PaneMenu,
  rename: RenameSheet,
  "send-remarks": SendRemarks,
};
