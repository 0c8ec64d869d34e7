import { lazy } from "./common.ts";

const date = lazy(
  () => new Intl.DateTimeFormat(undefined, { weekday: "long", day: "numeric", month: "long" }),
);

/** Epoch seconds as a day; `ago` is in whole days. */
export function dayText(at: number, ago: number): string {
  if (ago === 0) return "Today";
  return ago === 1 ? "Yesterday" : date().format(new Date(at * 1000));
}
