import { Hono } from "hono";
import type { Credentials } from "../config/credentials.ts";
import { AppError } from "../errors.ts";
import { isFromHere } from "../lib/loopback.ts";
import { validJson } from "../lib/valid.ts";
import type { Ok } from "../protocol/input.ts";
import { PairRequest } from "../protocol/pairing.ts";
import { PhoneAddress } from "../protocol/phone.ts";
import type { RequestFacts, Routes, Slice } from "../slice.ts";
import type { PairingCodes } from "./codes.ts";
import { Pairing } from "./pairing.ts";
import { PhoneAccess, type PhoneDeps } from "./phone.ts";

export interface PairingSliceDeps extends PhoneDeps {
  codes: PairingCodes;
  /**
   * Counts a wrong code like a wrong token.
   * @throws AppError too_many
   */
  guessedWrong: (peer: string) => void;
}

/** How other devices come in: the token, the addresses, codes, and what they have signed in with. */
export function pairingSlice(deps: PairingSliceDeps): Slice {
  const { credentials, codes, clock } = deps;
  const phone = new PhoneAccess(deps);
  const addresses = () => phone.addresses();
  const pairing = new Pairing({ credentials, codes, addresses, clock });
  return {
    name: "pairing",
    routes: signedIn(pairing, phone, credentials),
    openRoutes: exchangeRoutes(pairing, deps.guessedWrong),
    capabilities: () => ({
      phone_v1: { version: 1 },
      ...(pairing.capability ? { pairing_v1: pairing.capability } : {}),
    }),
  };
}

/** For clients that have a token, or where there is none. */
function signedIn(pairing: Pairing, phone: PhoneAccess, credentials: Credentials): Routes {
  const app: Routes = new Hono();
  app.post("/api/pair/codes", async (c) =>
    c.json(await pairing.link(c.req.header("origin") ?? null)),
  );
  app.get("/api/phone", async (c) => {
    const page = ownPage(c.req.query("page"), c.req.header("host"));
    return c.json(await phone.state(page));
  });
  app.post("/api/phone/token", async (c) => {
    requireOwner(c.env, c.req.raw.headers);
    return c.json({ token: await credentials.makeToken() }, 201);
  });
  app.delete("/api/phone/token", async (c) => {
    requireOwner(c.env, c.req.raw.headers);
    await credentials.removeToken();
    return c.json<Ok>({ ok: true });
  });
  app.post("/api/phone/addresses", validJson(PhoneAddress), async (c) => {
    requireOwner(c.env, c.req.raw.headers);
    await phone.accept(c.req.valid("json").address);
    return c.json<Ok>({ ok: true });
  });
  app.delete("/api/phone/addresses", async (c) => {
    requireOwner(c.env, c.req.raw.headers);
    await credentials.forgetAddresses();
    return c.json<Ok>({ ok: true });
  });
  app.delete("/api/phone/devices/:id", async (c) => {
    if (!(await credentials.removePhone(c.req.param("id"))))
      throw new AppError("not_found", "no such device");
    return c.json<Ok>({ ok: true });
  });
  return app;
}

/** The origin of the page that asks, which a browser does not send with GET. */
function ownPage(origin = "", host = ""): string | null {
  const url = URL.parse(origin);
  return url !== null && url.host === host ? url.origin : null;
}

/** For clients that have only a code: mounted before the check of tokens. */
function exchangeRoutes(pairing: Pairing, guessedWrong: PairingSliceDeps["guessedWrong"]): Routes {
  const app: Routes = new Hono();
  app.post("/api/pair", validJson(PairRequest), async (c) => {
    const reply = await pairing.redeem(c.req.valid("json"));
    if (reply) return c.json(reply);
    guessedWrong(c.env.peer);
    throw new AppError("unauthorized", "the code is wrong, used or too old");
  });
  return app;
}

/**
 * Who may change how others come in: the user of this machine and whoever has the token. While there
 * is none, a page of this machine, which may do everything then; never one that a proxy brings.
 * @throws AppError forbidden
 */
function requireOwner({ grant }: RequestFacts, headers: Headers): void {
  if (grant?.who === "token" || grant?.who === "local") return;
  if (grant?.who === "anybody" && isFromHere(headers)) return;
  throw new AppError("forbidden", "this is set up on the machine itself: panewatch phone");
}
