import type { Target } from "../../pairing/tailscale.ts";
import type { PhoneCheck, PhoneState } from "../../protocol/phone.ts";
import type { Consent } from "./consent.ts";
import type { PhoneService } from "./service.ts";

/** One run of `panewatch phone`. */
export interface Run {
  stateDir: string;
  service: PhoneService;
  consent: Consent;
  /** Where the service listens. */
  target: Target;
}

export const failedOf = ({ checks }: PhoneState): PhoneCheck | null =>
  checks.find(({ state }) => state === "failed") ?? null;

export function say(...lines: readonly string[]): void {
  for (const line of lines) process.stdout.write(`${line}\n`);
}

export function sayStopped(): void {
  say("Stopped: the rest is as it was.");
}
