import { Hono } from "hono";
import { AppError } from "../errors.ts";
import { validJson } from "../lib/valid.ts";
import { PairRequest } from "../protocol/pairing.ts";
import type { Clock } from "../lib/clock.ts";
import type { Routes, Slice } from "../slice.ts";
import { PairingCodes } from "./codes.ts";
import { interfaceAddresses } from "./interfaces.ts";
import type { Addresses } from "./links.ts";
import { Pairing } from "./pairing.ts";

export interface PairingSliceDeps {
  token: string;
  /** Known only after the start where port 0 was asked for. */
  address: () => Pick<Addresses, "publicUrls" | "bindHost" | "port">;
  /**
   * Counts a wrong code like a wrong token.
   * @throws AppError too_many
   */
  guessedWrong: (peer: string) => void;
  clock: Clock;
}

export function pairingSlice({ token, address, guessedWrong, clock }: PairingSliceDeps): Slice {
  const pairing = new Pairing({
    token,
    codes: new PairingCodes(clock),
    addresses: () => ({ ...address(), interfaces: interfaceAddresses() }),
  });
  return {
    name: "pairing",
    routes: pairingRoutes(pairing),
    openRoutes: exchangeRoutes(pairing, guessedWrong),
    capabilities: () => (pairing.capability ? { pairing_v1: pairing.capability } : {}),
  };
}

/** For clients that have the token. */
function pairingRoutes(pairing: Pairing): Routes {
  const app: Routes = new Hono();
  app.post("/api/pair/codes", (c) => c.json(pairing.link(c.req.header("origin") ?? null)));
  return app;
}

/** For clients that have only a code: mounted before the check of tokens. */
function exchangeRoutes(pairing: Pairing, guessedWrong: PairingSliceDeps["guessedWrong"]): Routes {
  const app: Routes = new Hono();
  app.post("/api/pair", validJson(PairRequest), (c) => {
    const reply = pairing.redeem(c.req.valid("json").code);
    if (reply) return c.json(reply);
    guessedWrong(c.env.peer);
    throw new AppError("unauthorized", "the code is wrong, used or too old");
  });
  return app;
}
