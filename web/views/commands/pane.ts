import { TERMINAL_SIZES } from "../../state/browser/preferences.ts";
import type { Client } from "../../state/client.ts";
import { commands as words } from "../../words/commands.ts";
import { passReply, REPLY_KEY } from "../answer/pass-key.ts";
import { toggleStar } from "../pane/star.ts";
import { copyLast } from "../parts/copy.ts";
import { aboutPane, focusOn, hasPane, withPane, type Command } from "./command.ts";

/** In the pane that is on the screen: words to it, and how its terminal is shown. */
export const PANE = {
  reply: {
    label: words.reply,
    icon: "pencil",
    keys: REPLY_KEY,
    isKeyOnly: true,
    run: () => void passReply(),
  },
  write: {
    label: words.write,
    icon: "pencil",
    keys: "i",
    isKeyOnly: true,
    run: () => void focusOn("[data-composer]"),
  },
  find: {
    label: words.find,
    icon: "search",
    keys: "mod f",
    isOffered: hasPane,
    run: ({ browser: { terminal } }) => {
      terminal.isFinding.value = true;
    },
  },
  follow: {
    label: words.follow,
    icon: "toEnd",
    keys: "f",
    isOffered: hasPane,
    run: ({ browser: { terminal } }) => {
      terminal.isFollowing.value = !terminal.isFollowing.value;
    },
  },
  wrap: {
    label: words.wrap,
    icon: "wrap",
    keys: "w",
    run: ({ browser: { preferences } }) =>
      preferences.set({ wrap: !preferences.current.value.wrap }),
  },
  smaller: { label: words.smaller, icon: "textSize", keys: "-", run: resize(-1) },
  larger: { label: words.larger, icon: "textSize", keys: "+", run: resize(1) },
  colours: {
    label: words.colours,
    icon: "screen",
    keys: "",
    run: ({ browser: { preferences } }) =>
      preferences.set({ colours: !preferences.current.value.colours }),
  },
} as const satisfies Record<string, Command>;

/** With it, and with all of them. */
export const DO = {
  create: {
    label: words.create,
    icon: "plus",
    keys: "c",
    isOffered: ({ server: { config } }) => config.has("mux_create_v1"),
    run: ({ browser: { router } }) => router.show("create"),
  },
  broadcast: {
    label: words.broadcast,
    icon: "broadcast",
    keys: "b",
    run: ({ browser: { router } }) => router.show("broadcast"),
  },
  star: {
    label: words.star,
    icon: "star",
    keys: "s",
    isOffered: hasPane,
    run: withPane((client, pane) => void toggleStar(client, pane)),
  },
  copy: {
    label: words.copy,
    icon: "copy",
    keys: "y",
    isOffered: hasPane,
    run: withPane(copyLast),
  },
  explain: {
    label: words.explain,
    icon: "info",
    keys: "",
    isOffered: (client) => hasPane(client) && client.server.config.has("explain_v1"),
    run: aboutPane("explain"),
  },
  rename: {
    label: words.rename,
    icon: "pencil",
    keys: "",
    isOffered: hasPane,
    run: aboutPane("rename"),
  },
} as const satisfies Record<string, Command>;

function resize(step: number): (client: Client) => void {
  return ({ browser: { preferences } }) => {
    const { min, max } = TERMINAL_SIZES;
    const size = preferences.current.value.terminalSize + step;
    preferences.set({ terminalSize: Math.max(min, Math.min(max, size)) });
  };
}
