import type { Half, Tab } from "./router.ts";
import { storedMembers } from "../../model/stored.ts";

const KEY = "panewatch.halves";

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
  readonly #storage: Storage;

  constructor(storage: Storage) {
    this.#storage = storage;
  }

  keep(tab: Tab, half: Half): void {
    const kept = storedMembers(this.#storage.getItem(KEY));
    if ((kept[tab] ?? "first") === half) return;
    this.#storage.setItem(KEY, JSON.stringify({ ...kept, [tab]: half }));
  }

  /** Where a place of the dock leads; `isThere` says whether a half exists now. */
  hashOf(tab: Tab, isThere: (half: Half) => boolean): string {
    const half = storedMembers(this.#storage.getItem(KEY))[tab];
    const place = OTHERS.find((one) => one.tab === tab && one.half === half);
    return place !== undefined && isThere(place.half) ? place.hash : `#/${tab}`;
  }
}
