import { parseScreen } from "../detect/ansi.ts";
import type { Screen } from "../detect/screen.ts";
import type { Capture } from "./provider.ts";

export interface Screens {
  /** What detectors read. */
  screen: Screen;
  /** What people are shown: the same object where the provider reads both at once. */
  display: Screen;
}

/** The screens of a capture; one that was parsed before is the same object. */
export function screensOf(
  { text, display }: Capture,
  before: (Screens & { capture: Capture }) | undefined,
): Screens {
  const isText = before?.capture.text === text;
  const isDisplay = before?.capture.display === display;
  if (isText && isDisplay) return { screen: before.screen, display: before.display };
  const screen = parseScreen(text);
  if (display === null) return { screen, display: screen };
  const shown = isDisplay ? before.display : parseScreen(display);
  return { screen: withStylesOf(shown, screen), display: shown };
}

/**
 * Focus is drawn by colour alone in some dialogs. A buffer that was read without colours has them
 * where the last rows of the display are its own, row by row; what they say stays plain.
 */
function withStylesOf({ lines: shown }: Screen, { lines }: Screen): Screen {
  const above = shown.length - lines.length;
  return {
    lines: lines.map((line, row) => {
      const same = shown[above + row];
      return same?.text === line.text ? same : line;
    }),
  };
}
