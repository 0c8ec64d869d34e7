import { count, timeOfDay, waitText } from "./common.ts";
import { lazy } from "./lazy.ts";

const money = lazy(() => new Intl.NumberFormat("en", { style: "currency", currency: "USD" }));
const compact = lazy(
  () => new Intl.NumberFormat("en", { notation: "compact", maximumFractionDigits: 1 }),
);
const percent = lazy(
  () =>
    new Intl.NumberFormat("en", {
      style: "percent",
      maximumFractionDigits: 0,
      signDisplay: "exceptZero",
    }),
);
const weekday = lazy(() => new Intl.DateTimeFormat("en-GB", { weekday: "short" }));
const dayOfMonth = lazy(
  () =>
    new Intl.DateTimeFormat("en-GB", {
      day: "numeric",
      month: "short",
      timeZone: "UTC",
    }),
);
const month = lazy(
  () =>
    new Intl.DateTimeFormat("en-GB", {
      month: "short",
      year: "numeric",
      timeZone: "UTC",
    }),
);
const DAY = 86_400;

/** A time of day, with the weekday when it is another day. */
function whenText(at: number, now: number): string {
  const isSoon = Math.abs(at - now) < DAY;
  return isSoon ? timeOfDay(at) : `${weekday().format(new Date(at * 1000))} ${timeOfDay(at)}`;
}

export const numbers = {
  money: (dollars: number) => money().format(dollars),
  compact: (n: number) => compact().format(n),
  tokens: (n: number) => `${compact().format(n)} tokens`,
  messages: (n: number) => count(n, "message", "messages"),
  /** The beginning of a bucket, `YYYY-MM-DDTHH:MM`, as a label of its period. */
  bucket: (period: string, beginning: string) => {
    const at = new Date(`${beginning}Z`);
    if (period === "hourly") return beginning.slice(11, 16);
    return period === "daily" ? dayOfMonth().format(at) : month().format(at);
  },
};

export const stats = {
  unknown: "–",
  fleet: "Fleet",
  fleetSize: (panes: number, sessions: number) =>
    `${count(panes, "pane", "panes")}, ${count(sessions, "session", "sessions")}`,
  fleetNames: {
    needs_input: "Waiting",
    error: "Error",
    parked: "Parked",
    working: "Working",
    finished: "Finished",
    idle: "Idle",
    stale: "Stale",
    offline: "Offline",
    unknown: "Unknown",
  },

  usage: "Usage",
  refreshUsage: "Refresh usage",
  updatedAgo: (seconds: number) =>
    seconds < 5 ? "updated just now" : `updated ${waitText(seconds)} ago`,
  never: "not yet fetched",
  quotaName: (provider: string, label: string) => `${provider}, ${label}`,
  left: (percentLeft: number) => `${Math.round(percentLeft)}% left`,
  low: "Little is left",
  quotaValue: (used: number, elapsed: number | null) =>
    elapsed === null
      ? `${Math.round(used)}% used`
      : `${Math.round(used)}% used, ${Math.round(elapsed * 100)}% of the time passed`,
  resets: (at: number, now: number) => `Resets ${whenText(at, now)}`,
  resetsRaw: (text: string) => `Resets ${text}`,
  pace: { ahead: "ahead of pace", on: "on pace", below: "below pace" },
  lastGood: (at: number, now: number) => `last good value ${whenText(at, now)}`,
  refreshFailed: "refresh failed",
  noQuotas: "The collector knows no quotas.",
  reasons: {
    disabled: "Usage is switched off in the settings.",
    not_installed: "The usage collector is not installed on the server.",
    timeout: "The usage collector did not answer in time.",
    error: "The usage collector failed.",
  },

  today: "Today",
  yesterday: (amount: string) => `Yesterday ${amount}`,
  noYesterday: "Nothing yesterday",
  delta: (part: number) => `${percent().format(part)} against yesterday`,
  byModel: "By model",
  byClient: "By client",

  history: "History",
  periods: { hourly: "Hours", daily: "Days", monthly: "Months" },
  chart: (period: string, n: number, most: string) =>
    `${period}: ${count(n, "bar", "bars")}, the highest ${most}`,
  asTable: "As a table",
  columns: { time: "Time", cost: "Cost", tokens: "Tokens", messages: "Messages" },
  noHistory: "Nothing was used in this time.",

  browsers: "Connected browsers",
  thisPhone: "This phone",
  thisBrowser: "This browser",
  you: "you",
  browserName: (browser: string | null, system: string | null) => {
    if (browser === null) return system ?? "Unknown client";
    return system === null ? browser : `${browser} on ${system}`;
  },
  disconnect: "Disconnect",
  disconnectName: (name: string) => `Disconnect ${name}`,
  disconnectNow: "Disconnect now",
  disconnectAsk: "Its page stops until somebody taps Reconnect there.",
  disconnectFailed: "It could not be disconnected.",
  noSocket: "None by a live connection.",
  connectedFor: (seconds: number) => waitText(seconds),

  server: "Server",
  health: { ready: "ready", degraded: "degraded", unavailable: "unavailable" },
  provider: "Provider",
  version: "Version",
  versionValue: (version: string, isVerified: boolean) =>
    `${version === "" ? "unknown" : version}, ${isVerified ? "verified" : "unverified"}`,
  lastSnapshot: "Last snapshot",
  secondsAgo: (seconds: number) => `${seconds.toFixed(1)} s ago`,
  pollInterval: "Poll interval",
  seconds: (n: number) => `${n} s`,
  roundTrip: "Round trip",
  milliseconds: (n: number) => `${Math.round(n)} ms`,
  push: "Push",
  pushState: (isConfigured: boolean, devices: number) =>
    isConfigured ? count(devices, "device", "devices") : "not configured",
  lastError: "Last error",

  failed: "This could not be loaded.",
  failedBecause: (reason: string) =>
    reason === "" ? "This could not be loaded." : `This could not be loaded: ${reason}`,
};
