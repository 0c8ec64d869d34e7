import { jsonWithEtag } from "../lib/json-with-etag.ts";
import type { CardsReply } from "../protocol/cards.ts";
import type { Handlers, Slice } from "../slice.ts";
import type { Cards } from "./cards.ts";

export function cardsSlice(cards: Cards): Slice {
  const routes: Handlers = {
    "GET /api/cards": (c) => jsonWithEtag(c.req.raw, { cards: cards.current } satisfies CardsReply),
    "GET /api/waiting": (c) => c.json({ waiting: cards.waiting }),
  };
  return { name: "cards", routes, capabilities: () => ({ cards_v1: { version: 1 } }) };
}
