import { jsonWithEtag } from "../lib/json-with-etag.ts";
import type { Card, CardsReply } from "../protocol/cards.ts";
import type { PaneState } from "../protocol/pane.ts";
import type { ReviewGroup } from "../protocol/review.ts";
import type { Handlers, Slice } from "../slice.ts";
import { type Made, makeCards, NO_CARDS } from "./make.ts";

interface Snapshot {
  readonly at: number;
  readonly panes: readonly PaneState[];
}

interface CardsDeps {
  hub: { readonly current: Snapshot };
  /** The same list until something of it changes; empty while the workspace is off. */
  groups: () => readonly ReviewGroup[];
}

export class Cards {
  readonly #deps: CardsDeps;
  #made: Made = NO_CARDS;
  readonly #at = new WeakMap<object, readonly Card[]>();

  constructor(deps: CardsDeps) {
    this.#deps = deps;
  }

  get current(): readonly Card[] {
    const { hub, groups } = this.#deps;
    const { at, panes } = hub.current;
    this.#made = makeCards({ panes, groups: groups(), now: at }, this.#made);
    return this.#made.cards;
  }

  /** Of the newest snapshot, the same for all who get it: what agents do meanwhile comes with the next. */
  at(snapshot: object): readonly Card[] {
    const known = this.#at.get(snapshot) ?? this.current;
    this.#at.set(snapshot, known);
    return known;
  }

  get waiting(): number {
    return this.current.filter(({ section }) => section === "waiting").length;
  }
}

export function cardsSlice(cards: Cards): Slice {
  const routes: Handlers = {
    "GET /api/cards": (c) => jsonWithEtag(c.req.raw, { cards: cards.current } satisfies CardsReply),
    "GET /api/waiting": (c) => c.json({ waiting: cards.waiting }),
  };
  return { name: "cards", routes, capabilities: () => ({ cards_v1: { version: 1 } }) };
}
