import { effect, untracked } from "@preact/signals";
import { isRefused, SLEEP_AFTER_MS } from "../../net/connection.ts";
import type { Attention, Presence } from "../browser/presence.ts";
import type { Server } from "./server.ts";

/** Sockets go with the attention of a person and with the network. */
export function followPresence(server: Server, presence: Presence): void {
  let before = presence.attention.peek();
  effect(() => {
    const now = presence.attention.value;
    if (now === before) return;
    before = now;
    untracked(() => attend(server, presence, now));
  });
  effect(() => {
    if (presence.returns.value > 0) untracked(() => reconnect(server, presence));
  });
}

/** A machine that slept, or a page that was frozen, ran no timer: what is shown is from before. */
export function reconnectIfOld(server: Server, presence: Presence): boolean {
  const isOld = server.canAnswer.value && server.panes.ageMs() > SLEEP_AFTER_MS;
  if (isOld) reconnect(server, presence);
  return isOld;
}

function attend(server: Server, presence: Presence, now: Attention): void {
  if (now === "asleep") return server.sleep();
  // The frame that was asked for may never come, and what waits for it would hold up what follows.
  if (now === "hidden") return server.panes.flush();
  if (reconnectIfOld(server, presence)) return;
  if (server.connection.value.asleep) reconnect(server, presence);
  else if (!isRefused(server.phase.value)) void server.link.refresh();
}

/** Not after a refusal, which is for the person to end, nor for a page that sleeps unseen. */
function reconnect(server: Server, presence: Presence): void {
  if (isRefused(server.phase.value)) return;
  if (presence.attention.peek() !== "asleep") server.connect();
}
