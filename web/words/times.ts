import { timeOfDay, lazy } from "./common.ts";

const day = lazy(() => new Intl.DateTimeFormat("en", { day: "numeric", month: "long" }));

/** Epoch seconds as a day: "3 November". */
export const dayOf = (at: number): string => {
  const parts = day().formatToParts(new Date(at * 1000));
  const part = (type: string) => parts.find((one) => one.type === type)?.value ?? "";
  return `${part("day")} ${part("month")}`;
};

/** As near as it matters: "09:31", "yesterday 21:10", "3 November"; `ago` is in whole days. */
export function whenText(at: number, ago: number): string {
  if (ago <= 0) return timeOfDay(at);
  return ago === 1 ? `yesterday ${timeOfDay(at)}` : dayOf(at);
}
