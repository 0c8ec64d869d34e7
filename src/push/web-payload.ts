import { firstCharacters } from "../protocol/characters.ts";
import { type Message, PARKED_TAG, textOf, TITLE } from "./message.ts";

/**
 * The declarative form: a browser that knows it shows the notification by itself, in the others our
 * service worker reads the same members. `panewatch` is for the worker alone.
 */
export function webPayload(
  message: Message,
  { origin, withNames }: { origin: string; withNames: boolean },
): string {
  const body = withNames ? namedText(message) : plainText(message);
  return JSON.stringify({
    web_push: 8030,
    notification: {
      title: TITLE,
      body,
      navigate: `${origin}/${fragmentOf(message)}`,
      tag: message.tag,
      app_badge: String(message.badge),
      ...(message.kind === "answered" ? { silent: true } : {}),
    },
    panewatch: { kind: message.kind },
  });
}

/** Where a notification leads, as the page's own routes. */
export function fragmentOf(message: Message): string {
  if (message.kind === "pane" && message.identities.length === 1)
    return `#/pane/${encodeURIComponent(message.pane.id)}`;
  if (message.kind === "answered") return `#/pane/${encodeURIComponent(message.paneId)}`;
  if (message.kind === "grant") return "#/phone";
  return message.kind === "quota" ? "#/stats" : "#/queue";
}

function plainText(message: Message): string {
  if (message.kind === "pane" && message.identities.length > 1 && message.tag !== PARKED_TAG)
    return `${message.identities.length} panes wait for you.`;
  return textOf(message);
}

const MAX_NAME_CHARS = 80;

function namedText(message: Message): string {
  if (message.kind !== "pane" || message.identities.length > 1) return plainText(message);
  const { name, host, isParked } = message.pane;
  const machine = host === null ? "" : ` on ${host}`;
  return `${firstCharacters(name, MAX_NAME_CHARS)}${machine} ${isParked ? "waits for a limit to reset." : NAMED_TEXTS[message.reason]}`;
}

const NAMED_TEXTS = {
  needs_input: "needs your input.",
  error: "reported an error.",
  finished: "has finished.",
} as const;
