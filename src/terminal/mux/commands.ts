import type { Namespace } from "../namespace.ts";
import type { ListedPane } from "../provider.ts";
import type { TmuxCommand, CommandLine, ExpectedScreen } from "./tmux.ts";

/**
 * Variables without free text, separated by blanks. Left out on purpose: `history_bytes`
 * (walks the whole history of every pane, and `window_activity` tells the same), `client_activity`
 * and `client_created` (crash tmux 3.2a when no client is attached).
 */
export const PLAIN_FIELDS = [
  "pid",
  "start_time",
  "session_id",
  "window_id",
  "window_index",
  "pane_id",
  "pane_index",
  "pane_pid",
  "pane_dead",
  "pane_width",
  "pane_height",
  "cursor_x",
  "cursor_y",
  "cursor_flag",
  "alternate_on",
  "history_size",
  "window_activity",
  // Newer than 3.2: empty where the server does not know them.
  "pane_output_generation",
  "pane_pb_state",
] as const;

/** Set on each pane that is created here; tmux keeps it over restarts of this service. */
export const CREATED_OPTION = "@panewatch_created";

// The option is light: a shell that was created here is shown as soon as it is set.
const LIGHT_TEXT_FIELDS = ["session_name", "window_name", "pane_title", CREATED_OPTION] as const;

/**
 * Variables that may hold any character: each stands alone between two marks. First the light ones:
 * a change on a screen changes one of them or a number.
 */
export const TEXT_FIELDS = [
  ...LIGHT_TEXT_FIELDS,
  "pane_current_command",
  "pane_current_path",
] as const;

/** How many pieces a row of a light listing has: the numbers, the texts and the end of the line. */
export const LIGHT_PIECES = 1 + LIGHT_TEXT_FIELDS.length + 1;

export type NumberField = (typeof PLAIN_FIELDS)[number];
export type TextField = (typeof TEXT_FIELDS)[number];

/** No program can print it in advance; hexadecimal, so neither formats nor strftime expand it. */
export function newMark(): string {
  return crypto.getRandomValues(Buffer.alloc(9)).toString("hex");
}

/** Lists all panes, or the one with this id of tmux. */
export function listLine(mark: string, fields: "light" | "whole", id?: string): CommandLine {
  const value = (field: string) => `#{${field}}`;
  const texts = fields === "light" ? LIGHT_TEXT_FIELDS : TEXT_FIELDS;
  const parts = [PLAIN_FIELDS.map(value).join(" "), ...texts.map(value), ""];
  const filter = id === undefined ? [] : ["-f", `#{==:#{pane_id},${id}}`];
  return [["list-panes", "-a", ...filter, "-F", mark + parts.join(mark)], printMark(mark)];
}

// Also at the end of every output: a client whose server ends exits with 0 and half of the answer.
function printMark(mark: string): TmuxCommand {
  return ["display-message", "-p", mark];
}

type SizedPane = Pick<ListedPane, "id" | "height" | "alternate">;

/**
 * A line with the mark before the capture of each pane, and one at the end. A capture that fails prints
 * nothing after its mark, a good one at least a line break.
 */
export function captureLines(
  mark: string,
  panes: readonly SizedPane[],
  lines: number | "screen",
  namespace: Namespace,
): CommandLine[] {
  const captures = panes.flatMap((pane) => [
    [printMark(mark)],
    [captureOne(namespace.ownId(pane.id), pane, lines)],
  ]);
  return [...captures, [printMark(mark)]];
}

/** Lists and captures one pane by one process; `pane` is how it was listed last. */
export function lookLine(
  { listing, screen }: { listing: string; screen: string },
  pane: SizedPane,
  lines: number,
  namespace: Namespace,
): CommandLine {
  const captures = captureLines(screen, [pane], lines, namespace);
  return [...listLine(listing, "whole", namespace.ownId(pane.id)), ...captures.flat()];
}

/** The meaning of a screen depends on these as well; `expectedScreen` writes them as tmux does. */
const SCREEN_FACTS =
  "#{pane_width} #{pane_height} #{alternate_on} #{cursor_x} #{cursor_y} #{cursor_flag} " +
  "#{pane_current_command} #{pane_title}";

/** The visible screen, followed by the facts that were listed of its pane; `id` is that of tmux. */
export function expectedScreen(id: string, pane: ListedPane, text: string): ExpectedScreen | null {
  const { width, height, cursor, alternate, command, title } = pane;
  if (!cursor) return null;
  const { column, row, visible } = cursor;
  const numbers = [width, height, Number(alternate), column, row, Number(visible)];
  const facts = ["display-message", "-p", "-t", id, SCREEN_FACTS];
  // Without the history. Each row ends with a line break, also the last one.
  const rows = text
    .split("\n")
    .slice(-height - 1)
    .join("\n");
  return {
    read: [captureOne(id, pane, "screen"), facts],
    output: `${rows}${[...numbers, command, title].join(" ")}\n`,
  };
}

function captureOne(
  id: string,
  pane: Omit<SizedPane, "id">,
  lines: number | "screen",
): TmuxCommand {
  // An alternate screen has no history: the rows above it belong to another program.
  const hasNone = lines === "screen" || pane.alternate;
  const history = hasNone ? 0 : Math.max(0, lines - pane.height);
  // Its rows are drawn one by one, and tmux still calls one wrapped that was drawn over since.
  return ["capture-pane", pane.alternate ? "-pe" : "-peJ", "-S", `${-history}`, "-t", id];
}

export function captureBatches(
  panes: readonly ListedPane[],
  lines: number | "screen",
  maxRows: number,
): ListedPane[][] {
  const batches: ListedPane[][] = [];
  let left = 0;
  for (const pane of panes) {
    const height = lines === "screen" ? pane.height : Math.max(lines, pane.height);
    if (batches.length === 0 || height > left) {
      batches.push([]);
      left = maxRows;
    }
    batches.at(-1)?.push(pane);
    left -= height;
  }
  return batches;
}

/** The one option of tmux itself that we set, as `mux.disable_auto_rename` documents. */
export const DISABLE_AUTO_RENAME: CommandLine = [["set-option", "-gw", "automatic-rename", "off"]];
