import type { Clock } from "../lib/clock.ts";
import type { Slice } from "../slice.ts";
import { PairingCodes } from "./codes.ts";
import { interfaceAddresses } from "./interfaces.ts";
import type { Addresses } from "./links.ts";
import { Pairing } from "./pairing.ts";
import { exchangeRoutes, pairingRoutes } from "./routes.ts";

export interface PairingSliceDeps {
  token: string;
  /** Known only after the start where port 0 was asked for. */
  address: () => Pick<Addresses, "publicUrls" | "bindHost" | "port">;
  /**
   * Counts a wrong code like a wrong token.
   * @throws AppError too_many
   */
  guessedWrong: (peer: string) => void;
  clock: Clock;
}

export function pairingSlice({ token, address, guessedWrong, clock }: PairingSliceDeps): Slice {
  const pairing = new Pairing({
    token,
    codes: new PairingCodes(clock),
    addresses: () => ({ ...address(), interfaces: interfaceAddresses() }),
  });
  return {
    name: "pairing",
    routes: pairingRoutes({ pairing }),
    openRoutes: exchangeRoutes({ pairing, guessedWrong }),
    capabilities: () => (pairing.capability ? { pairing_v1: pairing.capability } : {}),
  };
}
