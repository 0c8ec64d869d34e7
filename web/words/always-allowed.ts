import { count } from "./common.ts";

/** Of exact questions that were always answered with the same yes. */
export const alwaysAllowed = {
  title: "Always allowed",
  /** A day within a sentence. */
  times: (n: number, day: string) =>
    `Allowed ${count(n, "time", "times")} from here since ${day.replace(/^(Today|Yesterday)$/, (one) => one.toLowerCase())}, never refused.`,
  into: "in",
  of: "of",
  exactly: " would allow exactly this command there, and nothing else.",
  copy: "Copy setting",
  notThis: "Not this one",
  failed: "It could not be put away. Try again.",
};
