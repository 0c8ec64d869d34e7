import type { Flags } from "../../config/resolve.ts";
import { askService } from "../ask-service.ts";
import { StartupError } from "../../errors.ts";
import { isObject, parseJson } from "../../lib/json.ts";
import { print } from "../../lib/print.ts";

/** A status bar asks every few seconds: a late answer is worth nothing. */
const TIMEOUT_MS = 2000;

/** `panewatch status-line`: the number of waiting cards; an empty line for none. */
export async function printStatusLine(flags: Flags = {}): Promise<number> {
  const line = await askService(flags, {
    method: "GET",
    path: "/api/waiting",
    timeoutMs: TIMEOUT_MS,
  }).then(
    ({ reply }) => lineOf(reply.status === 200 ? parseJson(reply.text) : null),
    (error: unknown) => {
      if (error instanceof StartupError) return null;
      throw error;
    },
  );
  print(`${line ?? "panewatch is off"}\n`);
  return line === null ? 2 : 0;
}

function lineOf(reply: unknown): string | null {
  const waiting = isObject(reply) ? reply.waiting : null;
  if (typeof waiting !== "number") return null;
  return waiting === 0 ? "" : `${waiting} waiting`;
}
