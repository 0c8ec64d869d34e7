export type Phase =
  "connecting" | "live" | "rest" | "offline" | "unauthorized" | "incompatible" | "killed";

export const REST_EVERY_MS = 2000;
/** For the first state after opening, on a slow link too. */
const OPENING_MS = 8000;
const GRACE_MS = 10_000;
export const SLEEP_AFTER_MS = 30_000;
const BACKOFF_FIRST_MS = 500;
const BACKOFF_MAX_MS = 8000;
export const JITTER_MS = 300;

/** All times are monotonic milliseconds. */
export interface Connection {
  readonly phase: Phase;
  /** It is being opened, or (`live`) open. */
  readonly hasSocket: boolean;
  /** Failed sockets in a row. */
  readonly attempts: number;
  readonly socketAt: number;
  /** When REST is asked next; null while it is not needed. */
  readonly pollAt: number | null;
  /** When the socket was opened or last brought a state. */
  readonly heardAt: number;
  readonly failingSince: number | null;
  /** Whether the configuration of this connection is known; while it is not, the poll asks for it. */
  readonly configured: boolean;
  /** The page was hidden for long and holds no connection. */
  readonly asleep: boolean;
}

export type ConnectionEvent =
  | { readonly type: "start" }
  /**
   * The handshake has succeeded. The first state is left to the socket, since REST would share its
   * slow link.
   */
  | { readonly type: "configured" }
  /** The server has another configuration. */
  | { readonly type: "reconfigured" }
  | { readonly type: "opening" }
  | { readonly type: "frame" }
  | { readonly type: "lost"; readonly jitterMs: number }
  | { readonly type: "polled" }
  | { readonly type: "poll_failed" }
  | { readonly type: "tick" }
  | { readonly type: "sleep" }
  | { readonly type: "refused"; readonly as: "unauthorized" | "incompatible" | "killed" };

export const INITIAL: Connection = {
  phase: "connecting",
  hasSocket: false,
  attempts: 0,
  socketAt: 0,
  pollAt: null,
  heardAt: 0,
  failingSince: null,
  configured: false,
  asleep: true,
};

export const allowsAnswers = (phase: Phase): boolean => phase === "live" || phase === "rest";
export const isRefused = (phase: Phase): boolean =>
  phase === "unauthorized" || phase === "incompatible" || phase === "killed";

export function silenceMs(pollIntervalSeconds: number): number {
  return Math.max(3000, pollIntervalSeconds * 2000 + 1000);
}

export function backoffMs(attempts: number, jitterMs: number): number {
  return Math.min(BACKOFF_MAX_MS, BACKOFF_FIRST_MS * 2 ** Math.max(0, attempts - 1)) + jitterMs;
}

export function reduce(c: Connection, event: ConnectionEvent, now: number): Connection {
  if (event.type === "start")
    return {
      ...INITIAL,
      asleep: false,
      // The grace period runs from the start: a request that hangs is no success.
      failingSince: now,
      socketAt: now,
      // The poll begins with the configuration, which also tells a bad token from a dead network.
      pollAt: now,
    };
  if (isRefused(c.phase) || c.asleep) return c;
  switch (event.type) {
    case "configured":
      return {
        ...c,
        configured: true,
        pollAt: c.attempts > 0 && c.phase !== "live" ? now : null,
      };
    case "reconfigured":
      return { ...c, configured: false, pollAt: now };
    case "opening":
      return { ...c, hasSocket: true, heardAt: now };
    case "frame":
      return {
        ...c,
        failingSince: null,
        phase: "live",
        attempts: 0,
        pollAt: c.configured ? null : c.pollAt,
        heardAt: now,
      };
    case "lost": {
      const attempts = c.attempts + 1;
      return {
        ...c,
        hasSocket: false,
        configured: false,
        attempts,
        socketAt: now + backoffMs(attempts, event.jitterMs),
        pollAt: now,
        phase: c.phase === "live" ? "connecting" : c.phase,
        failingSince: c.failingSince ?? now,
      };
    }
    case "polled": {
      if (c.phase === "live")
        return { ...c, pollAt: c.configured ? null : c.pollAt, failingSince: null };
      // A socket that was just opened gets the chance to make it Live first.
      const hopeful = c.attempts === 0 && (!c.hasSocket || now - c.heardAt < REST_EVERY_MS);
      return {
        ...c,
        phase: hopeful ? c.phase : "rest",
        pollAt: now + REST_EVERY_MS,
        failingSince: null,
      };
    }
    case "poll_failed":
      // A failed handshake beside a live socket is retried.
      if (c.phase === "live") return { ...c, pollAt: now + REST_EVERY_MS };
      return {
        ...c,
        phase: c.phase === "rest" ? "connecting" : c.phase,
        pollAt: now + REST_EVERY_MS,
        failingSince: c.failingSince ?? now,
      };
    case "tick":
      // From Connecting to Offline at the end of the grace period.
      return due(c, 0).offlineAt > now ? c : { ...c, phase: "offline" };
    case "sleep":
      return { ...c, asleep: true, hasSocket: false, pollAt: null, phase: "connecting" };
    case "refused":
      return { ...c, phase: event.as, hasSocket: false, pollAt: null };
  }
}

/** The time of each next step, `Infinity` for none. A silent socket counts as lost. */
export function due(c: Connection, silence: number) {
  const isOn = !c.asleep && !isRefused(c.phase);
  const quietMs = c.phase === "live" ? silence : OPENING_MS;
  const failingSince = c.phase === "connecting" ? c.failingSince : null;
  return {
    socketAt: isOn && !c.hasSocket ? c.socketAt : Infinity,
    pollAt: isOn && c.pollAt !== null ? c.pollAt : Infinity,
    silentAt: isOn && c.hasSocket ? c.heardAt + quietMs : Infinity,
    offlineAt: isOn && failingSince !== null ? failingSince + GRACE_MS : Infinity,
  };
}
