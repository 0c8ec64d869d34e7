import { effect } from "@preact/signals";
import { isDone } from "../model/pane.ts";
import { showBadge } from "./browser/push-manager.ts";
import type { Client } from "./client.ts";

/**
 * Tells the server what is on the screen, and the system how many cards wait, until the result is
 * called.
 */
export function reportPresence({ browser, server }: Client): () => void {
  const { api, link, panes, queue, sid } = server;
  const { device, isVisible, layout, preferences, router } = browser;
  const endBadge = effect(() => {
    const isWanted = preferences.current.value.badge;
    void showBadge(isWanted ? queue.count.value : 0);
    return () => void showBadge(0);
  });
  // The server sends no alert to a device that shows its subject.
  const endPresence = effect(() => {
    void sid.value;
    const own = device.id.value;
    if (own === null) return;
    const pane = router.openPane.value;
    const isCovered = pane !== null || router.openAgent.value !== null;
    const isQueue = router.tab.value === "queue";
    const hasQueue = isQueue && (!isCovered || layout.columns.value > 1);
    const visible = isVisible.value && (hasQueue || pane !== null);
    const shown = hasQueue || pane === null ? {} : { pane };
    link.send({ type: "presence", visible, device: own, ...shown });
  });
  // A finished pane that is on the screen counts as seen, for everyone.
  let told = "";
  const endSeen = effect(() => {
    const pane = panes.find(router.openPane.value ?? "");
    if (pane === null || !isDone(pane) || !isVisible.value) return;
    const news = `${pane.id} ${pane.finished_at}`;
    if (news === told) return;
    told = news;
    // Without a reply it is sent again with the next look.
    void api.call("POST /api/seen", { json: { id: pane.id } }).then(({ ok }) => {
      if (!ok && told === news) told = "";
    });
  });
  return () => {
    for (const end of [endBadge, endPresence, endSeen]) end();
  };
}
