import type { Truncation } from "../../src/protocol/pane.ts";
import { count } from "./common.ts";

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
  return parts.join(" and ") || "There is more above";
}
