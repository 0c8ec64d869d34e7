import type { ServeTarget } from "../../pairing/tailscale.ts";
import { type PhoneCheck, PhoneState } from "../../protocol/phone.ts";
import { askFor, type ServiceRequest, type ReplyShape } from "../ask-service.ts";
import type { Consent } from "./consent.ts";

export interface PhoneRun {
  stateDir: string;
  service: PhoneService;
  consent: Consent;
  target: ServeTarget;
}

export const failedOf = ({ checks }: PhoneState): PhoneCheck | null =>
  checks.find(({ state }) => state === "failed") ?? null;

export function say(...lines: readonly string[]): void {
  for (const line of lines) process.stdout.write(`${line}\n`);
}

export function sayStopped(): void {
  say("Stopped: the rest is as it was.");
}

/** Of a reply that says no more than that it was done. */
const DONE: ReplyShape<true> = { safeParse: () => ({ data: true }) };

export class PhoneService {
  readonly #stateDir: string;

  constructor(stateDir: string) {
    this.#stateDir = stateDir;
  }

  /** @throws StartupError */
  state(): Promise<PhoneState> {
    return this.#ask({ method: "GET", path: "/api/phone" }, PhoneState);
  }

  async makeToken(body = {}): Promise<void> {
    await this.#ask({ method: "POST", path: "/api/phone/token", body }, DONE);
  }

  async removeToken(): Promise<void> {
    await this.#ask({ method: "DELETE", path: "/api/phone/token" }, DONE);
  }

  async accept(address: string): Promise<void> {
    await this.#ask({ method: "POST", path: "/api/phone/addresses", body: { address } }, DONE);
  }

  async forgetAddresses(): Promise<void> {
    await this.#ask({ method: "DELETE", path: "/api/phone/addresses" }, DONE);
  }

  #ask<T>(request: ServiceRequest, shape: ReplyShape<T>): Promise<T> {
    const cannot = "is of another release: start it again";
    return askFor(this.#stateDir, { ...request, cannot }, shape);
  }
}
