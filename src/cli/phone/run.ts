import { isObject } from "../../config/field.ts";
import { StartupError } from "../../errors.ts";
import { parseJson } from "../../lib/json.ts";
import type { ServeTarget } from "../../pairing/tailscale.ts";
import { type PhoneCheck, PhoneState } from "../../protocol/phone.ts";
import { askService, type ServiceRequest } from "../ask-service.ts";
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

export class PhoneService {
  readonly #stateDir: string;

  constructor(stateDir: string) {
    this.#stateDir = stateDir;
  }

  /** @throws StartupError */
  async state(): Promise<PhoneState> {
    const { url, body } = await this.#ask({ method: "GET", path: "/api/phone" });
    const state = PhoneState.safeParse(body).data;
    if (!state) throw otherRelease(url);
    return state;
  }

  async makeToken(body = {}): Promise<void> {
    await this.#ask({ method: "POST", path: "/api/phone/token", body });
  }

  async removeToken(): Promise<void> {
    await this.#ask({ method: "DELETE", path: "/api/phone/token" });
  }

  async accept(address: string): Promise<void> {
    await this.#ask({ method: "POST", path: "/api/phone/addresses", body: { address } });
  }

  async forgetAddresses(): Promise<void> {
    await this.#ask({ method: "DELETE", path: "/api/phone/addresses" });
  }

  async #ask(request: ServiceRequest): Promise<{ url: string; body: unknown }> {
    const { url, reply } = await askService(this.#stateDir, request);
    const body = parseJson(reply.text);
    if (reply.status < 300) return { url, body };
    if (reply.status === 404) throw otherRelease(url);
    const detail = isObject(body) && typeof body.detail === "string" ? body.detail : "";
    throw new StartupError(detail || `what answers at ${url} knows no phones (${reply.status})`);
  }
}

function otherRelease(url: string): StartupError {
  return new StartupError(`the panewatch at ${url} is of another release: start it again`);
}
