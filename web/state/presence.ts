import { effect } from "@preact/signals";
import { isDone } from "../model/pane.ts";
import type { Client } from "./client.ts";

/** Tells the server what is looked at, and the system how many wait. The result ends it. */
export function reportPresence({ browser, server }: Client): () => void {
  const { api, link, panes, queue } = server;
  const { device, layout, preferences, presence, router } = browser;
  const endBadge = effect(() => {
    const isWanted = preferences.current.value.badge;
    showBadge(isWanted ? queue.count.value : 0);
    return () => showBadge(0);
  });
  // The server does not alert a device whose page shows what it would tell of.
  const endPresence = effect(() => {
    const own = device.id.value;
    if (own === null) return link.presence(null);
    const pane = router.openPane.value;
    const isCovered = pane !== null || router.openAgent.value !== null;
    const isQueue = router.tab.value === "queue";
    const hasQueue = isQueue && (!isCovered || layout.columns.value > 1);
    const isSeen = presence.attention.value === "visible";
    const visible = isSeen && (hasQueue || pane !== null);
    const shown = hasQueue || pane === null ? {} : { pane };
    link.presence({ type: "presence", visible, device: own, ...shown });
  });
  // A finished pane that is on the screen has been looked at: for everyone, so it is told.
  let told = "";
  const endSeen = effect(() => {
    const pane = panes.find(router.openPane.value ?? "");
    if (pane === null || !isDone(pane) || presence.attention.value !== "visible") return;
    const news = `${pane.id} ${pane.finished_at}`;
    if (news === told) return;
    told = news;
    // Not heard: it stays finished, and the next look tells again.
    void api.call("POST /api/seen", { json: { id: pane.id } }).then(({ ok }) => {
      if (!ok && told === news) told = "";
    });
  });
  return () => {
    for (const end of [endBadge, endPresence, endSeen]) end();
  };
}

/** On the icon of the installed page. */
function showBadge(waiting: number): void {
  if (!("setAppBadge" in navigator)) return;
  const shown = waiting > 0 ? navigator.setAppBadge(waiting) : navigator.clearAppBadge();
  shown.catch(() => {
    // A browser that knows badges may still not allow one here.
  });
}
