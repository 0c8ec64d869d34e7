import type { Client } from "../../state/client.ts";
import { commands as words } from "../../words/commands.ts";
import { isOffered, type Command } from "./command.ts";
import { GO } from "./go.ts";
import { LOOK } from "./look.ts";
import { MOVE } from "./move.ts";
import { DO, PANE } from "./pane.ts";
import { REVIEW, WORK } from "./review.ts";
import { SEARCH_KEYS } from "./search-keys.ts";

const { queue, ...others } = GO;

/** What can be done by a key, by its name in the palette, or by both. */
export const COMMANDS = {
  search: {
    label: words.search,
    icon: "search",
    keys: SEARCH_KEYS,
    isKeyOnly: true,
    run: ({ browser: { router } }) => router.show("palette"),
  },
  queue,
  ...WORK,
  ...others,
  ...REVIEW,
  ...MOVE,
  ...PANE,
  ...DO,
  ...LOOK,
} as const satisfies Record<string, Command>;

export type CommandId = keyof typeof COMMANDS;

const ALL: readonly Command[] = Object.values(COMMANDS);

/** What the palette offers now. */
export const paletteCommands = (client: Client): readonly Command[] =>
  ALL.filter((command) => command.isKeyOnly !== true && isOffered(command, client));

/** The command behind keys, written as in the table. */
export const commandFor = (keys: string, client: Client): Command | null =>
  ALL.find((command) => command.keys === keys && isOffered(command, client)) ?? null;
