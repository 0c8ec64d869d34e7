import type { Tab } from "../../state/browser/router.ts";
import { commands as words } from "../../words/commands.ts";
import type { Command } from "./command.ts";

const tab = (name: Tab, keys: string): Command => ({
  label: words[name],
  icon: name,
  keys,
  run: ({ browser: { router } }) => router.goTab(name),
});

/** To the places of the first load. */
export const GO = {
  queue: tab("queue", "g q"),
  active: tab("active", "g a"),
  all: tab("all", "g l"),
  stats: tab("stats", "g s"),
  settings: {
    label: words.settings,
    icon: "sliders",
    keys: "mod ,",
    run: ({ browser: { router } }) => router.show("settings"),
  },
  help: {
    label: words.help,
    icon: "keyboard",
    keys: "?",
    run: ({ browser: { router } }) => router.show("shortcuts"),
  },
} as const satisfies Record<string, Command>;
