import { useLayoutEffect, useRef } from "preact/hooks";
import { promptOf } from "../../model/guard.ts";
import type { Pane } from "../../model/pane.ts";
import { useBrowser } from "../../state/client.ts";
import type { Steady } from "./press.ts";

/** `useSteady` for keys and texts, which go to whatever prompt is on the screen: since when it is this one. */
export const useSteadyPrompt = (pane: Pane): Steady => useSteadyTarget(promptOf(pane));

/** Since when what is written to is what `signature` says. */
export function useSteadyTarget(signature: string): Steady {
  const { clock, shield } = useBrowser();
  const shown = useRef(signature);
  const changedAt = useRef(0);
  useLayoutEffect(() => {
    if (shown.current !== signature) changedAt.current = clock.monotonicMs();
    shown.current = signature;
  }, [signature]);
  return { since: () => Math.max(changedAt.current, shield.raisedAt) };
}
