import type { Credentials } from "../config/credentials.ts";
import { AppError } from "../errors.ts";
import type { Clock } from "../lib/clock.ts";
import type { PairingLink, PairReply, PairRequest } from "../protocol/pairing.ts";
import type { PairingCodes } from "./codes.ts";
import { type Addresses, baseUrls, pairingLink } from "./links.ts";
import { qrMatrix, renderPath } from "./qr.ts";

export const NEEDS_TOKEN = "pairing needs a token: panewatch phone makes one";

export interface PairingDeps {
  credentials: Pick<Credentials, "isRequired" | "addPhone">;
  codes: PairingCodes;
  /** Called for each link: addresses come and go, and port 0 is known only after the start. */
  addresses: () => Omit<Addresses, "pageOrigin"> | Promise<Omit<Addresses, "pageOrigin">>;
  clock: Clock;
}

/** Gives another device a token of its own against a code that works once. */
export class Pairing {
  readonly #deps: PairingDeps;

  constructor(deps: PairingDeps) {
    this.#deps = deps;
  }

  /** The value of the capability `pairing_v1`; without a token nobody has to sign in. */
  get capability(): { version: number } | undefined {
    return this.#deps.credentials.isRequired ? { version: 1 } : undefined;
  }

  async link(pageOrigin: string | null): Promise<PairingLink> {
    const { codes, addresses } = this.#deps;
    this.#requireToken();
    const { urls, isLocal } = baseUrls({ ...(await addresses()), pageOrigin });
    const { code, short, expiresAt } = codes.issue();
    const [url = "", ...others] = urls.map((base) => pairingLink(base, code));
    const matrix = qrMatrix(url);
    if (!matrix) throw new AppError("unavailable", "the service's address is too long for a code");
    return {
      url,
      short_code: short,
      other_urls: others,
      is_local: isLocal,
      expires_at: expiresAt,
      qr: renderPath(matrix),
    };
  }

  /** Null for a code that never was, has been used, or is too old: these are not told apart. */
  async redeem({ code, name }: PairRequest): Promise<PairReply | null> {
    const { credentials, codes, clock } = this.#deps;
    if (!codes.redeem(code) || !credentials.isRequired) return null;
    return { token: await credentials.addPhone(name ?? UNNAMED, clock.now()) };
  }

  #requireToken(): void {
    if (!this.#deps.credentials.isRequired) throw new AppError("unavailable", NEEDS_TOKEN);
  }
}

const UNNAMED = "A device";
