import { useEffect, useRef } from "preact/hooks";
import { stepAlerts, whatOf, withoutTwins, type Alerted } from "../model/alerts.ts";
import { failed as hasFailed, type Pane } from "../model/pane.ts";
import { useBrowser, useServer } from "../state/client.ts";
import { common } from "../words/common.ts";
import { alerts as words } from "../words/queue.ts";

const nameOf = ({ name, host }: Pane): string => (host ? words.on(name, host) : name);

/** Tells of panes that begin to wait, or fail, while the reader looks elsewhere. Draws nothing. */
export function WaitingAlerts(): null {
  const { panes, queue } = useServer();
  const { alerts, device, preferences } = useBrowser();
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
    // What a page before this one has shown may have been answered since.
    if (isFirst) void alerts.keepOnly(step.alerted);
    const { notify, notifyErrors, notifyNames, sound, vibrate } = preferences.current.peek();
    const isTold = (pane: Pane) => notifyErrors || !hasFailed(pane);
    const fresh = withoutTwins(step.fresh, failed).filter(isTold);
    const silent = step.fresh.filter((pane) => !fresh.includes(pane)).map(({ id }) => id);
    for (const id of [...step.over, ...silent]) void alerts.close(id);
    if (fresh.length === 0 || alerts.isWatched) return;
    if (sound) alerts.beep();
    if (vibrate) alerts.vibrate();
    // Where the server alerts this device, a hidden page would only say it twice.
    const isPushed = device.id.peek() !== null && alerts.isHidden;
    if (!notify || isPushed) return;
    for (const pane of fresh) {
      const body = words.body(whatOf(pane), notifyNames ? nameOf(pane) : null);
      void alerts.show(pane.id, { title: common.app, body });
    }
  }, [waiting, failed, isLoaded]);
  useEffect(() => {
    document.title = words.title(count);
  }, [count]);
  return null;
}
