import { AppError } from "../errors.ts";
import type { Ledger } from "../ledger/ledger.ts";
import { isFromHere } from "../lib/address.ts";
import type { Log } from "../lib/log.ts";
import type { PairReply } from "../protocol/access.ts";
import { ANYBODY, type Handlers, type RequestFacts, type Slice, requesterName } from "../slice.ts";
import { PhoneAccess, type PhoneDeps } from "./phone.ts";

interface PairingSliceDeps extends PhoneDeps {
  /** Limits wrong codes like wrong tokens. */
  guesses: {
    /** @throws AppError too_many where this address has to wait */
    requireGuessable(peer: string): void;
    guessedWrong(peer: string): void;
  };
  /** A device has come in. */
  letIn: (device: { name: string; by: string }) => void;
  record: Pick<Ledger, "note" | "changed">;
  log: Pick<Log, "info">;
}

export function pairingSlice(deps: PairingSliceDeps): Slice {
  return {
    name: "pairing",
    routes: pairingRoutes(new PhoneAccess(deps), deps),
    capabilities: () => ({
      phone_v1: { version: 1 },
      // Without a token nobody has to sign in.
      ...(deps.credentials.isRequired ? { pairing_v1: { version: 1 } } : {}),
    }),
  };
}

function pairingRoutes(phone: PhoneAccess, deps: PairingSliceDeps): Handlers {
  const { credentials, guesses, record, log, letIn } = deps;
  return {
    "POST /api/pair/codes": async (c) => {
      const by = c.env.grant ?? ANYBODY;
      const grant = { ...c.req.valid("json"), by };
      return phone.link(c.req.header("origin") ?? null, grant);
    },
    // Needs no token: the client has only a code.
    "POST /api/pair": async (c) => {
      const { peer } = c.env;
      guesses.requireGuessable(peer);
      const admitted = await phone.redeem(c.req.valid("json"), peer);
      if (!admitted) {
        guesses.guessedWrong(peer);
        throw new AppError("unauthorized", "the code is wrong, used or too old");
      }
      const { token, device } = admitted;
      // Without a grant it was a page of this machine, where nobody has to sign in.
      const host = credentials.grants.find(({ id }) => id === device.by);
      const by = host?.name ?? "this machine";
      log.info(`access: ${device.name} (${device.scope}) was let in by ${by}, from ${peer}`);
      const what = `${device.name} (${device.scope})`;
      record.note({ kind: "grant_made", what, by: { grant: device.by ?? ANYBODY.id, name: by } });
      letIn({ name: device.name, by });
      return { token } satisfies PairReply;
    },
    "GET /api/phone": async (c) => {
      const page = ownPage(c.req.valid("query").page, c.req.header("host"));
      return phone.state(page);
    },
    "POST /api/phone/token": async (c) => {
      requireOwnPage(c.env, c.req.raw.headers);
      const { renew } = c.req.valid("json");
      const token = await credentials.makeToken(c.env.grant?.id ?? ANYBODY.id, { renew });
      const what = renew ? "another" : "the first";
      const sentence = `${renew ? "another" : "a"} token was made`;
      record.changed(c.env, { kind: "token_made", what, sentence });
      return c.json({ token }, 201);
    },
    "DELETE /api/phone/token": async (c) => {
      requireOwnPage(c.env, c.req.raw.headers);
      const what = `devices: ${credentials.devices.length}`;
      await credentials.removeToken();
      const sentence = `the token (${what}) was removed`;
      record.changed(c.env, { kind: "token_removed", what, sentence });
    },
    "POST /api/phone/addresses": async (c) => {
      requireOwnPage(c.env, c.req.raw.headers);
      const { address } = c.req.valid("json");
      await phone.accept(address);
      log.info(`access: ${address} was accepted by ${requesterName(c.env)}`);
    },
    "DELETE /api/phone/addresses": async (c) => {
      requireOwnPage(c.env, c.req.raw.headers);
      await credentials.forgetAddresses();
      log.info(`access: the accepted addresses were forgotten by ${requesterName(c.env)}`);
    },
  };
}

/** The asking page sends its origin as a parameter: browsers send none with GET. */
function ownPage(origin = "", host = ""): string | null {
  const url = URL.parse(origin);
  return url !== null && url.host === host ? url.origin : null;
}

/**
 * While there is no token, only a page of this machine may set up access, and none that is reached
 * under another name.
 * @throws AppError forbidden
 */
function requireOwnPage({ grant }: RequestFacts, headers: Headers): void {
  if (grant?.digest === null && !isFromHere(headers))
    throw new AppError("forbidden", "this is set up on the machine itself: panewatch phone");
}
