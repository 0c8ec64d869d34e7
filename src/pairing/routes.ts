import { Hono } from "hono";
import { AppError } from "../errors.ts";
import { validJson } from "../lib/valid.ts";
import { PairRequest } from "../protocol/pairing.ts";
import type { Routes } from "../slice.ts";
import type { Pairing } from "./pairing.ts";

export interface PairingRoutesDeps {
  pairing: Pairing;
  /**
   * Counts a wrong code like a wrong token.
   * @throws AppError too_many
   */
  guessedWrong: (peer: string) => void;
}

/** For clients that have the token. */
export function pairingRoutes({ pairing }: Pick<PairingRoutesDeps, "pairing">): Routes {
  const app: Routes = new Hono();
  app.post("/api/pair/codes", (c) => c.json(pairing.link(c.req.header("origin") ?? null)));
  return app;
}

/** For clients that have only a code: mounted before the check of tokens. */
export function exchangeRoutes({ pairing, guessedWrong }: PairingRoutesDeps): Routes {
  const app: Routes = new Hono();
  app.post("/api/pair", validJson(PairRequest), (c) => {
    const reply = pairing.redeem(c.req.valid("json").code);
    if (reply) return c.json(reply);
    guessedWrong(c.env.peer);
    throw new AppError("unauthorized", "the code is wrong, used or too old");
  });
  return app;
}
