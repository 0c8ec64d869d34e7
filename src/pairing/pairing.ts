import type { Credentials } from "../config/credentials.ts";
import { AppError } from "../errors.ts";
import type { PairingLink, PairRequest } from "../protocol/pairing.ts";
import type { CodeGrant, PairingCodes } from "./codes.ts";
import { type Addresses, baseUrls, pairingLink } from "./links.ts";
import { qrMatrix, renderPath } from "./qr.ts";

export const NEEDS_TOKEN = "pairing needs a token: panewatch phone makes one";

interface PairingDeps {
  credentials: Pick<Credentials, "isRequired" | "requireRoom" | "admit">;
  codes: PairingCodes;
  /** Called for each link: addresses come and go, and port 0 is known only after the start. */
  addresses: () => Omit<Addresses, "pageOrigin"> | Promise<Omit<Addresses, "pageOrigin">>;
}

type AdmittedDevice = Awaited<ReturnType<Credentials["admit"]>>;

export class Pairing {
  readonly #deps: PairingDeps;

  constructor(deps: PairingDeps) {
    this.#deps = deps;
  }

  /** The value of the capability `pairing_v1`; without a token nobody has to sign in. */
  get capability(): { version: number } | undefined {
    return this.#deps.credentials.isRequired ? { version: 1 } : undefined;
  }

  async link(pageOrigin: string | null, grant: CodeGrant): Promise<PairingLink> {
    const { codes, credentials, addresses } = this.#deps;
    this.#requireToken();
    credentials.requireRoom();
    const { urls, isLocal } = baseUrls({ ...(await addresses()), pageOrigin });
    const { code, short, expiresAt } = codes.issue(grant);
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

  /**
   * Null for a code that never was, has been used, or is too old: these are not told apart.
   * @throws AppError conflict where there is no room
   */
  async redeem({ code, name }: PairRequest, address: string): Promise<AdmittedDevice | null> {
    const { credentials, codes } = this.#deps;
    const grant = codes.redeem(code);
    if (!grant || !credentials.isRequired) return null;
    const { scope, by } = grant;
    const device = { name: grant.name ?? name ?? "", scope, by: by.id };
    return credentials.admit(device, address);
  }

  #requireToken(): void {
    if (!this.#deps.credentials.isRequired) throw new AppError("unavailable", NEEDS_TOKEN);
  }
}
