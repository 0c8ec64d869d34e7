import { useRef } from "preact/hooks";
import { UNTOUCHED_MS } from "../../model/answer.ts";
import { useBrowser } from "../../state/client.ts";

/** The newest value once the hand is off the screen, for what moves the page when it comes or goes. */
export function useWhenCalm<T>(value: T): T {
  const { clock, touch } = useBrowser();
  const shown = useRef(value);
  // Looked at again with every second, only as long as something waits.
  if (shown.current !== value && clock.now.value > 0 && touch.untouchedMs() >= UNTOUCHED_MS)
    shown.current = value;
  return shown.current;
}
