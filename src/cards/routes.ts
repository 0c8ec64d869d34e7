import { Hono } from "hono";
import { jsonWithEtag } from "../lib/packed.ts";
import type { CardsReply } from "../protocol/cards.ts";
import { route, type Routes, type Slice } from "../slice.ts";
import type { Cards } from "./cards.ts";

export function cardsSlice(cards: Cards): Slice {
  const routes: Routes = new Hono();
  route(routes, "GET /api/cards", (c) =>
    jsonWithEtag(c.req.raw, { cards: cards.current } satisfies CardsReply),
  );
  route(routes, "GET /api/waiting", (c) => c.json({ waiting: cards.waiting }));
  return { name: "cards", routes, capabilities: () => ({ cards_v1: { version: 1 } }) };
}
