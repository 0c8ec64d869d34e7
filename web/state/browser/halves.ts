import type { Half, Tab } from "./router.ts";
import { Kept, storedMembers } from "../../model/stored.ts";

interface Place {
  readonly tab: Tab;
  readonly half: Half;
  readonly hash: string;
}

/** The halves that are not the first of their place. */
const OTHERS: readonly Place[] = [
  { tab: "all", half: "agents", hash: "#/agents" },
  { tab: "all", half: "timeline", hash: "#/timeline" },
];

/** Which half of All was shown last; this browser keeps its name and nothing else. */
export class Halves {
  readonly #kept: Kept<Readonly<Record<string, unknown>>>;

  constructor(storage: Storage) {
    this.#kept = new Kept(storage, "halves", storedMembers);
  }

  keep(tab: Tab, half: Half): void {
    const kept = this.#kept.get();
    if ((kept[tab] ?? "first") === half) return;
    this.#kept.set({ ...kept, [tab]: half });
  }

  /** Where a place of the dock leads; `isThere` says whether a half exists now. */
  hashOf(tab: Tab, isThere: (half: Half) => boolean): string {
    const half = this.#kept.get()[tab];
    const place = OTHERS.find((one) => one.tab === tab && one.half === half);
    return place !== undefined && isThere(place.half) ? place.hash : `#/${tab}`;
  }
}
