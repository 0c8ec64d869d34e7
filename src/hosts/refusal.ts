import type { HostReason } from "../protocol/hosts.ts";
import { printable } from "../terminal/printable.ts";

const MAX_DETAIL_CHARS = 300;

/** Why a link is not there, and the last line of what ssh said of it. */
export interface Refusal {
  reason: HostReason;
  detail: string | null;
}

/** Another try changes nothing, and may lock a person out: they are asked first. */
export const NEEDS_A_PERSON: ReadonlySet<HostReason> = new Set([
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

/** What the end of ssh before it was ready means. 255 is ssh's own, or the shell's: its words tell. */
export function refusalOf(code: number, messages: string): Refusal {
  const detail = detailOf(messages);
  const found = SIGNS.find(([sign]) => sign.test(messages));
  if (found) return { reason: found[1], detail };
  return { reason: code === 255 ? "unreachable" : "no_shell", detail };
}

export function detailOf(messages: string): string | null {
  const last = messages.split("\n").findLast((line) => printable(line) !== "") ?? "";
  return printable(last).slice(0, MAX_DETAIL_CHARS) || null;
}
