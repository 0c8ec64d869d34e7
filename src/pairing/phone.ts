import { hostname } from "node:os";
import type { Credentials } from "../config/credentials.ts";
import { originFault } from "../config/checks.ts";
import { AppError } from "../errors.ts";
import { quoteWord } from "../lib/words.ts";
import type { PairingLink, PairRequest, PhoneCheck, PhoneState } from "../protocol/access.ts";
import { type Addresses, baseUrls, interfaceAddresses, pairingLink } from "./links.ts";
import type { CodeGrant, PairingCodes } from "./pairing.ts";
import { renderPath } from "./qr.ts";
import { readTailscale, type TailscaleFacts, type ServeTarget, upCommand } from "./tailscale.ts";

export interface PhoneDeps {
  credentials: Credentials;
  codes: PairingCodes;
  /** A function, since port 0 becomes a real one only at the start. */
  address: () => ServeTarget;
  look?: (target: ServeTarget) => Promise<TailscaleFacts>;
}

export class PhoneAccess {
  readonly #deps: PhoneDeps;

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

  /** A link with a code for this grant. @throws AppError unavailable without a token, conflict */
  async link(pageOrigin: string | null, grant: CodeGrant): Promise<PairingLink> {
    const { codes, credentials } = this.#deps;
    if (!credentials.isRequired)
      throw new AppError("unavailable", "pairing needs a token: panewatch phone makes one");
    const { urls, isLocal } = baseUrls({ ...(await this.addresses()), pageOrigin });
    const { code, short, expiresAt } = codes.issue(grant);
    const [url = "", ...others] = urls.map((base) => pairingLink(base, code));
    const qr = renderPath(url);
    if (!qr) throw new AppError("unavailable", "the service's address is too long for a code");
    return {
      ...{ url, short_code: short, other_urls: others },
      ...{ is_local: isLocal, expires_at: expiresAt, qr },
    };
  }

  /** Null for a code that is wrong, used or too old; the client is not told which. */
  async redeem({ code, name }: PairRequest, address: string) {
    const { credentials, codes } = this.#deps;
    const grant = codes.redeem(code);
    if (!grant || !credentials.isRequired) return null;
    const device = { name: grant.name ?? name ?? "", scope: grant.scope, by: grant.by.id };
    return credentials.admit(device, address);
  }

  /** Present addresses. The one that Tailscale serves becomes an accepted address. */
  async addresses(): Promise<Omit<Addresses, "pageOrigin">> {
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
    // An earlier address of Tailscale is left out; the present one comes before the others.
    const others = credentials.addresses.filter((url) => !/\.ts\.net(:\d+)?$/.test(url));
    const publicUrls = [...configured, ...(served ? [served.url] : []), ...others];
    return { publicUrls, bindHost: host, port, interfaces: interfaceAddresses() };
  }

  #tailscale(): Promise<TailscaleFacts> {
    const { address, look = readTailscale } = this.#deps;
    return look(address());
  }
}

interface PhoneFacts {
  token: "none" | "kept" | "configured";
  /** For a phone. */
  address: string;
  isLocal: boolean;
  tailscale: TailscaleFacts;
}

/** In order: the first check that fails has a remedy, later ones wait for it. */
export function phoneChecks({ token, address, isLocal, tailscale }: PhoneFacts): PhoneCheck[] {
  const served = tailscale.state === "on" ? tailscale.served : null;
  const isServed = served?.url === address;
  const reach = served?.isPublic
    ? "From the whole internet, by Tailscale Funnel."
    : "From every device in your tailnet. The phone needs the Tailscale app, signed in.";
  const [remedy, command] = [remedySentence(tailscale), remedyOf(tailscale)];
  const checks = [
    {
      id: "password",
      isOk: token !== "none",
      title: "Has a token",
      later: "",
      sentence: token === "kept" ? "Made on this machine" : "That of the configuration",
      fault: {
        title: "It has no token",
        sentence:
          "Whoever reaches it could type into your terminals. With a token it lets in only who has it.",
        command: null,
      },
    },
    {
      id: "reachable",
      isOk: !isLocal,
      title: "Reachable",
      later: "Comes after it",
      sentence: isServed ? reach : `At ${address}`,
      fault: {
        title: "No phone can reach this address",
        sentence: `It belongs to this machine alone. ${remedy}`,
        command,
      },
    },
    {
      id: "encrypted",
      isOk: address.startsWith("https:"),
      title: "Encrypted",
      later: "Comes with it",
      sentence: isServed ? "HTTPS by Tailscale" : "HTTPS",
      fault: {
        title: "Not encrypted",
        sentence: `Whoever listens in that network can read what you type, and the token. ${remedy}`,
        command,
      },
    },
  ] as const;
  const first = checks.find(({ isOk }) => !isOk);
  return checks.map((check) => {
    const { id, isOk, title, sentence, later, fault } = check;
    if (check === first) return { id, state: "failed", ...fault };
    const plain = { id, title, command: null };
    return isOk
      ? { ...plain, state: "ok", sentence }
      : { ...plain, state: "waiting", sentence: later };
  });
}

function remedySentence(tailscale: TailscaleFacts): string {
  if (tailscale.state === "on") return "Tailscale is installed here: run this in a terminal.";
  if (tailscale.state === "none")
    return "The simplest way is Tailscale, on this machine and on the phone: https://tailscale.com/download";
  const how = tailscale.hasDaemon ? "is off" : "does not run";
  return `Tailscale is installed here, and ${how}: run this in a terminal.`;
}

function remedyOf(tailscale: TailscaleFacts): string | null {
  if (tailscale.state === "on") return ["tailscale", ...tailscale.serve].map(quoteWord).join(" ");
  return tailscale.state === "off" ? upCommand(tailscale) : null;
}
