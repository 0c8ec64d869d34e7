import type { Moment } from "../lib/clock.ts";
import type { HostReason, HostStatus } from "../protocol/hosts.ts";
import { stripControls } from "../lib/words.ts";

const MAX_DETAIL_CHARS = 300;

export interface Refusal {
  reason: HostReason;
  /** The last line that ssh printed. */
  detail: string | null;
}

/** Another attempt changes nothing and may lock a person out: they have to ask for it. */
const NEEDS_A_PERSON: ReadonlySet<HostReason> = new Set([
  "unknown_host_key",
  "changed_host_key",
  "refused_key",
]);

const SIGNS: readonly (readonly [RegExp, HostReason])[] = [
  [/REMOTE HOST IDENTIFICATION HAS CHANGED/, "changed_host_key"],
  [/Host key verification failed|host key is known for/, "unknown_host_key"],
  [/Permission denied|Too many authentication failures|no more authentication/i, "refused_key"],
  [/timed out/i, "timeout"],
];

/** Why ssh ended before the shell was ready. Exit code 255 is ssh's own, or the shell's: the messages tell. */
export function sshRefusal(code: number, messages: string, stdout = ""): Refusal {
  // The shell of an account without sign-in (nologin) prints its reason on stdout.
  const detail = refusalDetail(messages) ?? refusalDetail(stdout);
  const [, reason] = SIGNS.find(([sign]) => sign.test(messages)) ?? [];
  if (reason) return { reason, detail };
  return { reason: code === 255 ? "unreachable" : "no_shell", detail };
}

export function refusalDetail(messages: string): string | null {
  const last = messages.split("\n").findLast((line) => stripControls(line) !== "") ?? "";
  return stripControls(last).slice(0, MAX_DETAIL_CHARS) || null;
}

export interface LinkState {
  status: HostStatus;
  /** Epoch seconds since when it has been live, or has not. */
  since: number;
  refusal: Refusal | null;
  /** Monotonic seconds of the next attempt; null: none is planned. */
  retryAt: number | null;
  /** Monotonic seconds of the last attempts. */
  attempts: readonly number[];
  /** In a row. */
  failures: number;
  /** Monotonic seconds. */
  liveSince: number | null;
}

export type LinkEvent =
  | { is: "begun" }
  /** tmux has answered for the first time. */
  | { is: "answered" }
  | { is: "ended"; refusal: Refusal; random: number }
  /** An attempt is due now: a person asked for it, or the clock jumped. */
  | { is: "asked" }
  | { is: "stopped" };

const LONGEST_WAIT_SECONDS = 30;
/** After a link has been live for so long, the waits begin at the shortest again. */
const HELD_SECONDS = 30;
/** A server may lock out a client that connects too often. */
const MOST_ATTEMPTS = 10;
const ATTEMPTS_WITHIN_SECONDS = 5 * 60;

export const OFF: LinkState = {
  status: "off",
  since: 0,
  refusal: null,
  retryAt: null,
  attempts: [],
  failures: 0,
  liveSince: null,
};

export function nextLinkState(before: LinkState, event: LinkEvent, now: Moment): LinkState {
  switch (event.is) {
    case "begun": {
      const attempts = [...before.attempts, now.monotonic].slice(-MOST_ATTEMPTS);
      const since = before.status === "off" ? now.at : before.since;
      return { ...before, status: "connecting", since, retryAt: null, attempts };
    }
    case "answered":
      return { ...before, status: "live", since: now.at, refusal: null, liveSince: now.monotonic };
    case "ended":
      return nextAfterEnd(before, event, now);
    case "asked":
      return before.status === "away"
        ? { ...before, retryAt: notBefore(before, now.monotonic) }
        : before;
    case "stopped":
      return { ...OFF, since: now.at };
  }
}

function nextAfterEnd(
  before: LinkState,
  { refusal, random }: { refusal: Refusal; random: number },
  now: Moment,
): LinkState {
  const wasLive = before.liveSince !== null;
  const hasHeld = wasLive && now.monotonic - (before.liveSince ?? 0) >= HELD_SECONDS;
  const failures = hasHeld ? 1 : before.failures + 1;
  const seconds = Math.min(LONGEST_WAIT_SECONDS, 2 ** (failures - 1)) * (0.75 + random / 2);
  const wait = NEEDS_A_PERSON.has(refusal.reason)
    ? null
    : notBefore(before, now.monotonic + seconds);
  const since = wasLive || before.status === "off" ? now.at : before.since;
  return { ...before, status: "away", since, refusal, retryAt: wait, failures, liveSince: null };
}

function notBefore({ attempts }: LinkState, wanted: number): number {
  const first = attempts.length < MOST_ATTEMPTS ? undefined : attempts[0];
  return first === undefined ? wanted : Math.max(wanted, first + ATTEMPTS_WITHIN_SECONDS);
}

export function isDue({ status, retryAt }: LinkState, now: Pick<Moment, "monotonic">): boolean {
  return status === "away" && retryAt !== null && now.monotonic >= retryAt;
}
