import type { Composer, Finding, Prompt } from "../detect/finding.ts";
import type { Screen } from "../detect/screen.ts";
import type { PaneState } from "../protocol/pane.ts";
import type { ListedPane } from "./provider.ts";

/** One pane as it is at this moment: listed, captured and interpreted, but neither remembered nor published. */
export interface Reading {
  pane: ListedPane;
  /** As it would be published. */
  state: PaneState;
  /** What stands there now, under an overlay nothing. */
  prompt: Prompt | null;
  /** The agent's input line, where one takes what is typed now. */
  composer: Composer | null;
  screen: Screen;
  finding: Finding;
  /** What the screen shows may be over in a moment. */
  isUnsettled: boolean;
  /** Seconds since when the line that decided has done so. */
  lineAge: number;
  /** Of a pass, not of this moment: what was captured then, to be compared before anything is sent. */
  recalled?: string;
}
