import type { ComponentType } from "preact";
import type { Pane } from "../model/pane.ts";
import { BroadcastSheet } from "./broadcast/broadcast.tsx";
import { CreateSheet } from "./create/create.tsx";
import { ExplainSheet } from "./explain/explain.tsx";
import { ShortcutHelp } from "./help/shortcuts.tsx";
import { SortSheet } from "./navigator/sort.tsx";
import { Palette } from "./palette/palette.tsx";
import { SETTINGS_SHEETS, SettingsSheet } from "./settings/settings.tsx";
import { PaneMenu } from "./pane/menu.tsx";
import { RenameSheet } from "./pane/rename.tsx";

/** Sheets by the name that `router.show` is called with. */
export const SHEETS: Readonly<Record<string, ComponentType>> = {
  broadcast: BroadcastSheet,
  create: CreateSheet,
  palette: Palette,
  ...Object.fromEntries(SETTINGS_SHEETS.map((name) => [name, SettingsSheet])),
  shortcuts: ShortcutHelp,
  sort: SortSheet,
};

/** Sheets about one pane; they close when it is gone. */
export const PANE_SHEETS: Readonly<Record<string, ComponentType<{ readonly pane: Pane }>>> = {
  explain: ExplainSheet,
  "pane-menu": PaneMenu,
  rename: RenameSheet,
};
