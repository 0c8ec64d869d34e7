import { useEffect, useRef } from "preact/hooks";
import { stepAlerts, withoutTwins, type Alerted } from "../model/alerts.ts";
import { failed as hasFailed } from "../model/pane.ts";
import { useBrowser, useServer } from "../state/client.ts";

/** A sound where a pane begins to wait, or fails, while the reader looks elsewhere. Draws nothing. */
export function WaitingAlerts(): null {
  const { panes, queue } = useServer();
  const { alerts, preferences } = useBrowser();
  const alerted = useRef<Alerted>(null);
  const waiting = queue.waiting.value;
  const failed = queue.failed.value;
  const count = queue.count.value;
  const isLoaded = panes.isLoaded.value;
  useEffect(() => {
    if (!isLoaded) return;
    const isFirst = alerted.current === null;
    const step = stepAlerts(alerted.current, [...waiting, ...failed]);
    alerted.current = step.alerted;
    // What was pushed may have been answered since.
    if (isFirst || step.over.length > 0) void alerts.keepOnly(step.alerted);
    const { notifyErrors, sound, vibrate } = preferences.current.peek();
    const fresh = withoutTwins(step.fresh, failed);
    if (alerts.isWatched || !fresh.some((pane) => notifyErrors || !hasFailed(pane))) return;
    if (sound) alerts.beep();
    if (vibrate) alerts.vibrate();
  }, [waiting, failed, isLoaded]);
  useEffect(() => {
    document.title = count === 0 ? "panewatch" : `(${count}) panewatch`;
  }, [count]);
  return null;
}
