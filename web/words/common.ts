import type { Truncation } from "../../src/protocol/pane.ts";

/** `count(2, "pane", "panes")` is `2 panes`. */
export function count(n: number, one: string, many: string): string {
  return `${n} ${n === 1 ? one : many}`;
}

const twoDigits = (n: number): string => String(n).padStart(2, "0");

/** From epoch seconds. Not by `Intl`: its formatters take a phone 0.1 s to make. */
export function timeOfDay(at: number): string {
  const date = new Date(at * 1000);
  return `${twoDigits(date.getHours())}:${twoDigits(date.getMinutes())}`;
}

/** Calendar days between two times: 0 on the same day, 1 for yesterday. */
export function daysBetween(at: number, now: number): number {
  const midnight = (seconds: number) => new Date(seconds * 1000).setHours(0, 0, 0, 0);
  // Days with a clock change are not 24 hours long.
  return Math.round((midnight(now) - midnight(at)) / 86_400_000);
}

/** As `now`, `48 s`, `6 min`, `2 h 5 min`, `3 days`. */
export function waitText(seconds: number): string {
  const s = Math.floor(seconds);
  if (s < 5) return common.now;
  if (s < 60) return `${s} s`;
  const minutes = Math.floor(s / 60);
  if (minutes < 60) return `${minutes} min`;
  const hours = Math.floor(minutes / 60);
  if (hours >= 24) return count(Math.floor(hours / 24), "day", "days");
  return minutes % 60 === 0 ? `${hours} h` : `${hours} h ${minutes % 60} min`;
}

export const common = {
  now: "now",
  close: "Close",
  cancel: "Cancel",
  retry: "Retry",
  notShown: "This part could not be shown",
  waitingBadge: (n: number) => `${n} waiting`,
  tabs: { queue: "Queue", active: "Active", all: "All", stats: "Stats" },
  /** In the order of the filter chips. */
  status: {
    needs_input: "Waiting",
    error: "Error",
    parked: "Parked",
    finished: "Finished",
    working: "Working",
    idle: "Idle",
    stale: "Stale",
    offline: "Offline",
    unknown: "Unknown",
  },
};

export const sections = {
  waiting: "Waiting",
  errors: "Errors",
  blocked: "Blocked",
  changed: "Changed",
  finished: "Finished",
};

/** How much of its question a card leaves out. */
export function moreWords({ lines, characters }: Truncation): string {
  const parts = [
    ...(lines > 0 ? [count(lines, "more line", "more lines")] : []),
    ...(characters > 0 ? [count(characters, "more character", "more characters")] : []),
  ];
  return parts.join(" and ") || "There is more";
}
