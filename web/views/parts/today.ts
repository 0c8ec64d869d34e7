import { useBrowser } from "../../state/client.ts";
import { useDerived } from "./derived.ts";

/** The begin of this day in epoch seconds: who tells of days is drawn again at midnight, not each second. */
export function useToday(): number {
  const { clock } = useBrowser();
  return useDerived(() => new Date(clock.now.value * 1000).setHours(0, 0, 0, 0) / 1000, []);
}
