import { AppError } from "../errors.ts";
import type { PairingLink, PairReply } from "../protocol/pairing.ts";
import type { PairingCodes } from "./codes.ts";
import { type Addresses, baseUrls, pairingLink } from "./links.ts";
import { qrMatrix, renderPath } from "./qr.ts";

export interface PairingDeps {
  token: string;
  codes: PairingCodes;
  /** Called for each link: interfaces come and go, and port 0 is known only after the start. */
  addresses: () => Omit<Addresses, "pageOrigin">;
}

/** Hands the token to another device against a code that works once. */
export class Pairing {
  readonly #deps: PairingDeps;

  constructor(deps: PairingDeps) {
    this.#deps = deps;
  }

  /** The value of the capability `pairing_v1`; without a token there is nothing to hand over. */
  get capability(): { version: number } | undefined {
    return this.#deps.token === "" ? undefined : { version: 1 };
  }

  link(pageOrigin: string | null): PairingLink {
    const { token, codes, addresses } = this.#deps;
    if (token === "")
      throw new AppError("unavailable", "pairing needs a token: server.token is empty");
    const { urls, isLocal } = baseUrls({ ...addresses(), pageOrigin });
    const { code, expiresAt } = codes.issue();
    const [url = "", ...others] = urls.map((base) => pairingLink(base, code));
    const matrix = qrMatrix(url);
    if (!matrix) throw new AppError("unavailable", "the service's address is too long for a code");
    return {
      url,
      other_urls: others,
      is_local: isLocal,
      expires_at: expiresAt,
      qr: renderPath(matrix),
    };
  }

  /** Null for a code that never was, has been used, or is too old: these are not told apart. */
  redeem(code: string): PairReply | null {
    const { token, codes } = this.#deps;
    return codes.redeem(code) && token !== "" ? { token } : null;
  }
}
