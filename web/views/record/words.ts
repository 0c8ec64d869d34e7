import type { SeenAccessEvent, SeenAct } from "../../../src/protocol/tolerant-record.ts";
import { grantIn } from "../../state/server/record.ts";
import type { IconName } from "../../ui/icons.tsx";
import { count } from "../../words/common.ts";
import { refusedText } from "../../words/refusals.ts";
import { mayOf } from "../../words/scopes.ts";

/** What can be filtered by, in the words of the filter. */
export const KINDS: Readonly<Record<SeenAct["kind"] | SeenAccessEvent["kind"], string>> = {
  select: "Answers",
  reply: "Answers to decisions",
  key: "Keys",
  text: "Texts",
  message: "Messages",
  stop: "Stop",
  broadcast: "Broadcasts",
  continue: "Continued by itself",
  first_message: "First messages",
  create: "Panes made",
  close: "Panes closed",
  grant_made: "Devices let in",
  grant_changed: "Devices changed",
  grant_removed: "Devices removed",
  token_made: "Tokens made",
  token_removed: "Tokens removed",
  sign_refused: "Refused sign-ins",
  settings_changed: "Settings",
  host_added: "Machines added",
  host_removed: "Machines removed",
  unknown: "Else",
};

/** What was done; `code` is a command or a path, as it was asked about. */
interface Saying {
  readonly text: string;
  readonly code: string;
}

const said = (text: string, code = ""): Saying => ({ text, code });

/** The server names the length of a text that it does not keep, or how the text begins. */
function textOf(label: string): string {
  return /^text of \d+ characters?$/.test(label)
    ? label.charAt(0).toUpperCase() + label.slice(1)
    : `“${label}”`;
}

function aboutOf({ label, about }: SeenAct): Saying {
  if (about === null) return said(label);
  const isCode = about.kind === "command" || about.kind === "file";
  return isCode ? said(`${label} to `, about.text) : said(`${label} to “${about.text}”`);
}

export function actText(act: SeenAct, others: number): Saying {
  const { kind, label } = act;
  switch (kind) {
    case "select":
    case "reply":
      return aboutOf(act);
    case "key":
      return said(`Key ${label}`);
    case "text":
    case "message":
      return said(textOf(label));
    case "first_message":
      return said(`First message: ${textOf(label)}`);
    case "continue":
      return said(`${textOf(label)} by itself`);
    case "stop":
      return said("Stop");
    case "broadcast":
      return said(`Broadcast to ${count(others + 1, "pane", "panes")}`);
    case "create":
      return said("Made a pane: ", label);
    case "close":
      return said("Closed the pane");
    case "unknown":
      return said(label);
  }
}

export const isWrong = ({ state }: SeenAct): boolean => state === "refused" || state === "unknown";

/** What became of it. */
export function fateText(act: SeenAct): string {
  const { kind, state, reason } = act;
  if (state === "sending") return "on its way";
  if (state === "sent") return "sent";
  if (state === "confirmed") return kind === "stop" ? "stopped" : "confirmed";
  if (state === "unknown") return "may have arrived";
  const known = Object.entries(REASONS).find(([name]) => name === reason)?.[1];
  return reason === null ? "not sent" : `not sent: ${known ?? reason}`;
}

/** Shorter than on a card, where something is to be done next. */
const REASONS: Partial<Record<keyof typeof refusedText, string>> = {
  prompt_changed: "it asked something else",
  options_changed: "its answers had changed",
  endpoint_stale: "the pane could not be read",
  host_away: "its machine was away",
  endpoint_moved: "the pane had moved",
  revision_stale: "the pane had changed",
  capability_unavailable: "the pane does not take that",
  unknown_pane: "the pane was gone",
  idempotency_key_expired: "the server was restarted meanwhile",
};

export function fatesText(acts: readonly SeenAct[]): string {
  const counts = new Map<string, number>();
  for (const act of acts) counts.set(fateText(act), (counts.get(fateText(act)) ?? 0) + 1);
  if (acts.length === 1) return [...counts.keys()].join();
  return [...counts].map(([text, n]) => `${n} ${text}`).join(", ");
}

/** @param labelOf what a setting is called */
export function accessText(
  { kind, what, count: n }: SeenAccessEvent,
  labelOf: (key: string) => string | undefined,
): string {
  const { name, scope } = grantIn(what);
  const may = scope === null ? "" : `, ${mayOf(scope)}`;
  switch (kind) {
    case "grant_made":
      return `${name} was let in${may}`;
    case "grant_changed":
      return `${name} was changed${may}`;
    case "grant_removed":
      return `${name} was removed`;
    case "token_made":
      return "A token was made";
    case "token_removed":
      return "The token was removed";
    case "sign_refused":
      return count(n, "refused sign-in", "refused sign-ins");
    case "settings_changed":
      return `Settings changed: ${what
        .split(", ")
        .map((key) => labelOf(key)?.toLowerCase() ?? key)
        .join(", ")}`;
    case "host_added":
      return `Machine ${what} was added`;
    case "host_removed":
      return `Machine ${what} was removed`;
    case "unknown":
      return what;
  }
}

/** Who did it; of a sign that was refused where it came from. */
export const whoText = ({ kind, what, by }: SeenAccessEvent): string =>
  kind === "sign_refused" ? `from ${what}` : by.name;

export function iconOf(kind: SeenAccessEvent["kind"]): IconName {
  if (kind === "settings_changed") return "sliders";
  return kind === "host_added" || kind === "host_removed" ? "machine" : "key";
}
