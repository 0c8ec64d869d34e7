import { useEffect, useRef } from "preact/hooks";
import { stepAlerts, type Alerted } from "../model/alerts.ts";
import { useClient } from "../state/client.ts";
import { common } from "../words/common.ts";
import { alerts as words } from "../words/queue.ts";

/** Tells of panes that begin to wait while the reader looks elsewhere. Draws nothing. */
export function WaitingAlerts(): null {
  const { alerts, panes, preferences, queue } = useClient();
  const alerted = useRef<Alerted>(null);
  const waiting = queue.waiting.value;
  const isLoaded = panes.isLoaded.value;
  useEffect(() => {
    if (!isLoaded) return;
    const step = stepAlerts(alerted.current, waiting);
    alerted.current = step.alerted;
    for (const id of step.over) void alerts.close(id);
    const { notify, notifyNames, sound, vibrate } = preferences.current.peek();
    if (step.fresh.length === 0 || alerts.isWatched) return;
    if (sound) alerts.beep();
    if (vibrate) alerts.vibrate();
    if (!notify) return;
    for (const pane of step.fresh) {
      const body = notifyNames ? words.named(pane.name) : words.generic;
      void alerts.show(pane.id, { title: common.app, body });
    }
  }, [waiting, isLoaded]);
  useEffect(() => {
    document.title = words.title(waiting.length);
  }, [waiting.length]);
  return null;
}
