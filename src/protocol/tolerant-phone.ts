import type { GrantRemoved, GrantsReply, GrantState } from "./grants.ts";
import type { PairingLink, PairReply } from "./pairing.ts";
import type { PhoneState } from "./phone.ts";
import { bodyReader, type Seen } from "./read.ts";
import { phoneShapes } from "./shapes.ts" with { type: "macro" };

const SHAPES = phoneShapes();

export type SeenPhoneState = Seen<PhoneState>;
export type SeenGrant = Seen<GrantState>;

export const readPhoneState = bodyReader<PhoneState>(SHAPES.state);
export const readPairingLink = bodyReader<PairingLink>(SHAPES.link);
export const readMadeToken = bodyReader<PairReply>(SHAPES.token);
export const readGrants = bodyReader<GrantsReply>(SHAPES.grants);
export const readGrant = bodyReader<GrantState>(SHAPES.grant);
/** What of a device that was removed is left. */
export const readRemoved = bodyReader<GrantRemoved>(SHAPES.removed);
