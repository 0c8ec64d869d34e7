import { hostname } from "node:os";
import { originFault } from "../config/structured.ts";
import type { Credentials } from "../config/credentials.ts";
import { AppError } from "../errors.ts";
import type { Clock } from "../lib/clock.ts";
import type { PhoneState } from "../protocol/phone.ts";
import { phoneChecks } from "./checks.ts";
import { interfaceAddresses } from "./interfaces.ts";
import { type Addresses, baseUrls } from "./links.ts";
import { lookAtTailscale, type TailscaleFacts, type Target } from "./tailscale.ts";

/** A look that is younger serves all who ask. */
const LOOK_SECONDS = 0.5;

export interface PhoneDeps {
  credentials: Credentials;
  /** Known only after the start where port 0 was asked for. */
  address: () => Target;
  clock: Clock;
  look?: (target: Target) => Promise<TailscaleFacts>;
}

/** What stands between this service and a phone. */
export class PhoneAccess {
  readonly #deps: PhoneDeps;
  #look: { at: number; facts: Promise<TailscaleFacts> } | null = null;

  constructor(deps: PhoneDeps) {
    this.#deps = deps;
  }

  async state(pageOrigin: string | null): Promise<PhoneState> {
    const { credentials } = this.#deps;
    const tailscale = await this.#tailscale();
    const { urls, isLocal } = baseUrls({ ...this.#addresses(tailscale), pageOrigin });
    const [address = ""] = urls;
    const { isRequired, isConfigured, devices, tokenMade } = credentials;
    const own = isConfigured ? "configured" : "kept";
    const token = isRequired ? own : "none";
    return {
      host: hostname().split(".")[0] ?? "",
      address,
      checks: phoneChecks({ token, address, isLocal, tailscale }),
      token,
      tailscale: tailscale.state,
      addresses: [...credentials.addresses],
      token_made: tokenMade && { ...tokenMade },
      phones: devices.map(({ id, name, created_at }) => ({ id, name, paired_at: created_at })),
    };
  }

  /** Where phones reach this service now. What Tailscale serves of it becomes an accepted address. */
  async addresses(): Promise<Omit<Addresses, "pageOrigin">> {
    this.#look = null;
    const tailscale = await this.#tailscale();
    if (tailscale.state === "on" && tailscale.served)
      await this.#deps.credentials.accept(tailscale.served.url);
    return this.#addresses(tailscale);
  }

  /** @throws AppError invalid */
  async accept(address: string): Promise<void> {
    const fault = originFault(address);
    if (fault !== null) throw new AppError("invalid", `the address ${fault}`);
    await this.#deps.credentials.accept(new URL(address).origin);
  }

  #addresses(tailscale: TailscaleFacts): Omit<Addresses, "pageOrigin"> {
    const { credentials, address } = this.#deps;
    const { host, port } = address();
    const served = tailscale.state === "on" ? tailscale.served : null;
    const accepted = new Set(credentials.addresses);
    const configured = credentials.publicUrls.filter((url) => !accepted.has(url));
    // What Tailscale once served is no address any more; what it serves now comes before the others.
    const others = credentials.addresses.filter((url) => !/\.ts\.net(:\d+)?$/.test(url));
    const publicUrls = [...configured, ...(served ? [served.url] : []), ...others];
    return { publicUrls, bindHost: host, port, interfaces: interfaceAddresses() };
  }

  #tailscale(): Promise<TailscaleFacts> {
    const { clock, address, look = lookAtTailscale } = this.#deps;
    const now = clock.monotonic();
    if (this.#look === null || now - this.#look.at >= LOOK_SECONDS)
      this.#look = { at: now, facts: look(address()) };
    return this.#look.facts;
  }
}
