import type { GrantRemoved, GrantsReply, GrantState } from "./grants.ts";
import type { PairingLink } from "./pairing.ts";
import type { PhoneState } from "./phone.ts";
import { readAs, type Reading, type Seen } from "./read.ts";
import { phoneShapes } from "./shapes.ts" with { type: "macro" };

const SHAPES = phoneShapes();

export type SeenPhoneState = Seen<PhoneState>;

export const readPhoneState = (body: unknown): Reading<SeenPhoneState> =>
  readAs(SHAPES.state, () => body, "the reply");

export const readPairingLink = (body: unknown): Reading<PairingLink> =>
  readAs(SHAPES.link, () => body, "the reply");

export const readMadeToken = (body: unknown): Reading<{ token: string }> =>
  readAs(SHAPES.token, () => body, "the reply");

export type SeenGrant = Seen<GrantState>;

export const readGrants = (body: unknown): Reading<Seen<GrantsReply>> =>
  readAs(SHAPES.grants, () => body, "the reply");

export const readGrant = (body: unknown): Reading<SeenGrant> =>
  readAs(SHAPES.grant, () => body, "the reply");

/** What of a device that was removed is left. */
export const readRemoved = (body: unknown): Reading<GrantRemoved> =>
  readAs(SHAPES.removed, () => body, "the reply");
