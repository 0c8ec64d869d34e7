import { cutText } from "../../lib/words.ts";
import type { LogEvent } from "./events.ts";

/** Characters of one message that are stored. */
const MAX_CONTENT = 20_000;

const ESCAPES =
  // CSI; OSC, DCS, APC, PM and SOS up to their end (one without an end must not swallow what
  // follows); other escapes.
  /\u001b\[[0-?]*[ -/]*[@-~]|\u001b[\]PX^_][^\u0007\u001b\u009c]*(?:\u0007|\u001b\\|\u009c)|\u009b[0-?]*[ -/]*[@-~]|\u001b[ -/]*[0-~]?/g;
const CONTROLS = /[\u0000-\u0008\u000b-\u001f\u007f-\u009f]/g;

/** Text as a person may see it: no escape sequence, no control character but newline and tab. */
export function cleanText(text: string): string {
  const plain = text
    .replace(/\r\n?/g, "\n")
    .replace(ESCAPES, "")
    .replace(CONTROLS, "")
    .toWellFormed();
  return cutText(plain, MAX_CONTENT);
}

export function firstLine(text: string, limit: number): string {
  const line = text.split("\n").find((each) => each.trim() !== "") ?? "";
  return cutText(line.trim().replace(/\s+/g, " "), limit);
}

export function wordsOf(text: string): string {
  return (text.toLowerCase().match(/[\p{L}\p{N}]+/gu) ?? []).join(" ");
}

/** Cleans every text of an event; `at` becomes `now` at the latest. */
export function cleanEvent<T extends LogEvent>(event: T, now: number): T {
  const plain = cleanAll(event);
  return event.at !== null && event.at > now ? { ...plain, at: now } : plain;
}

function cleanAll<T>(value: T): T;
function cleanAll(value: unknown): unknown {
  if (typeof value === "string") return cleanText(value);
  if (Array.isArray(value)) return value.map((each) => cleanAll(each));
  if (typeof value !== "object" || value === null) return value;
  const members = Object.entries(value).map(([key, each]) => [cleanText(key), cleanAll(each)]);
  return Object.fromEntries(members);
}
