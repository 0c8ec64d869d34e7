import { useRef } from "preact/hooks";
import { signatureOf } from "../../model/guard.ts";
import type { Pane } from "../../model/pane.ts";
import { useBrowser } from "../../state/client.ts";

/**
 * Whether the prompt has changed while the terminal beside it stood still, scrolled up or with a
 * selection: what it asks about is not on the screen then, and must be shown with it.
 */
export function useUnread(pane: Pane): boolean {
  const { terminal } = useBrowser();
  const signature = signatureOf(pane);
  const read = useRef(signature);
  if (terminal.isFollowing.value && !terminal.isPaused.value) read.current = signature;
  return read.current !== signature;
}
