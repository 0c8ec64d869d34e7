import { THEMES } from "../../state/browser/preferences.ts";
import { commands as words } from "../../words/commands.ts";
import type { Command } from "./command.ts";

/** How the page looks. */
export const LOOK = {
  theme: {
    label: words.theme,
    icon: "eye",
    keys: "t",
    run: ({ browser: { preferences } }) => {
      const at = THEMES.indexOf(preferences.current.value.theme);
      preferences.set({ theme: THEMES[(at + 1) % THEMES.length] ?? "system" });
    },
  },
  navigator: {
    label: words.navigator,
    icon: "sideBySide",
    keys: "[",
    isOffered: ({ browser: { layout } }) => layout.columns.value === 3,
    run: ({ browser: { layout } }) => {
      layout.hasNavigator.value = !layout.hasNavigator.value;
    },
  },
  inspector: {
    label: words.inspector,
    icon: "sideBySide",
    keys: "]",
    isOffered: ({ browser: { layout } }) => layout.columns.value === 3,
    run: ({ browser: { layout } }) => {
      layout.hasInspector.value = !layout.hasInspector.value;
    },
  },
} as const satisfies Record<string, Command>;
