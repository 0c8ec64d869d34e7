import { isatty } from "node:tty";
import type { Flags } from "../../config/resolve.ts";
import { renderInvitation } from "../../pairing/qr.ts";
import type { ServeTarget } from "../../pairing/tailscale.ts";
import {
  type GrantState,
  GrantsReply,
  PairingLink,
  type PhoneCheck,
  PhoneState,
} from "../../protocol/access.ts";
import { askFor } from "../ask-service.ts";
import { print } from "../../lib/print.ts";

export interface PhoneRun {
  flags: Flags;
  target: ServeTarget;
  /** Asks before a change. @throws StoppedError where the person declines */
  agree: (change: string) => Promise<void>;
}

/** A step is left to the person, who is told these lines; the steps after it are not taken. */
export class StoppedError extends Error {
  constructor(readonly lines: readonly string[]) {
    super(lines[0]);
  }
}

export const failedOf = ({ checks }: PhoneState): PhoneCheck | null =>
  checks.find(({ state }) => state === "failed") ?? null;

export function say(...lines: readonly string[]): void {
  for (const line of lines) print(`${line}\n`);
}

/** @throws StartupError */
export const phoneState = (flags: Flags): Promise<PhoneState> =>
  askFor(flags, { method: "GET", path: "/api/phone" }, PhoneState);

/** Asked while a phone is waited for: `/api/phone` would run Tailscale each time. */
export const requestGrants = async (flags: Flags): Promise<readonly GrantState[]> =>
  (await askFor(flags, { method: "GET", path: "/api/grants" }, GrantsReply)).grants;

/** @throws StartupError, also where there is no token */
export const requestLink = (flags: Flags): Promise<PairingLink> =>
  askFor(flags, { method: "POST", path: "/api/pair/codes" }, PairingLink);

export function printInvitation(link: PairingLink): void {
  const hasColours = isatty(1) && !process.env.NO_COLOR;
  print(renderInvitation(link, { hasColours }));
}

/** @throws StartupError with the reason of the service */
export async function changePhone(
  flags: Flags,
  method: "POST" | "DELETE",
  what: "token" | "addresses",
  body?: object,
): Promise<void> {
  // The reply holds nothing of use.
  const any = { safeParse: () => ({ data: true }) };
  await askFor(flags, { method, path: `/api/phone/${what}`, body }, any);
}
