import { bodyReader, type SeenBody } from "./read.ts";
import { shapeNamed } from "./shapes.ts" with { type: "macro" };

export type SeenPhoneState = SeenBody<"PhoneState">;
export type SeenGrant = SeenBody<"GrantState">;

export const readPhoneState = bodyReader<"PhoneState">(shapeNamed("PhoneState"));
export const readPairingLink = bodyReader<"PairingLink">(shapeNamed("PairingLink"));
export const readMadeToken = bodyReader<"PairReply">(shapeNamed("PairReply"));
export const readGrants = bodyReader<"GrantsReply">(shapeNamed("GrantsReply"));
export const readGrant = bodyReader<"GrantState">(shapeNamed("GrantState"));
/** What of a device that was removed is left. */
export const readRemoved = bodyReader<"GrantRemoved">(shapeNamed("GrantRemoved"));
