import { timeOfDay, lazy } from "./common.ts";

/** Which pane an agent is in, and what becomes of what was read of it. */
export const binding = {
  forTime: (status: string, time: string) =>
    time === "now" ? `${status}.` : `${status} for ${time}.`,
  developments: {
    renewed: "Its panes were looked at anew since you opened this.",
    others: "Other panes could be its own now.",
    found: "Its pane has been found meanwhile.",
    none: "No pane could be its own any more.",
  },

  changed: {
    bind: "Not chosen: something changed",
    release: "Not unlinked: something changed",
    delete: "Not deleted: something changed",
  },
  gone: {
    bind: "Not chosen: that pane is gone",
    release: "Not unlinked: this agent is gone",
    delete: "Not deleted: this agent is gone",
  },
  failed: { bind: "Not chosen", release: "Not unlinked", delete: "Not deleted" },
  lost: {
    bind: "Nobody knows whether it was chosen",
    release: "Nobody knows whether it was unlinked",
    delete: "Nobody knows whether it was deleted",
  },
  because: (reason: string) => `The server says: ${reason}.`,
  reasons: {
    "stale binding revision": "What was known of its pane is not what is known now.",
    "another runtime's program runs in this pane": "Another program runs in that pane now.",
    "the pane works in another folder": "That pane works in another folder now.",
  },
};

/** What a refusal means, in words of ours where we have them. */
export function refusalText(reason: string): string {
  if (reason === "") return "";
  const known = Object.entries(binding.reasons).find(([said]) => said === reason);
  return known === undefined ? binding.because(reason) : known[1];
}

const day = lazy(() => new Intl.DateTimeFormat(undefined, { day: "numeric", month: "long" }));

/** Epoch seconds as a day: `20 December`. */
export const dayName = (at: number): string => day().format(new Date(at * 1000));

/** Epoch seconds as a moment; `daysAgo` is in whole days. */
export function momentText(at: number, daysAgo: number): string {
  if (daysAgo === 0) return timeOfDay(at);
  return daysAgo === 1 ? `yesterday, ${timeOfDay(at)}` : `${dayName(at)}, ${timeOfDay(at)}`;
}
