import type { AppOptions } from "./app-options.ts";
import { Admitted } from "./http/upgrade.ts";
import { TokenCheck } from "./http/auth.ts";
import type { Ledger } from "./ledger/ledger.ts";
import type { OriginRules } from "./http/origin.ts";
import { ANYBODY } from "./slice.ts";
import { PairingCodes } from "./pairing/codes.ts";

export type Access = ReturnType<typeof createAccess>;

/** The checks of token and origin, the sockets that they let in, and the address that is bound. */
export function createAccess(
  { settings, credentials, clock }: AppOptions,
  ledger: Pick<Ledger, "signRefused">,
) {
  const config = settings.current;
  const host = config["server.host"];
  const tokens = new TokenCheck({
    ...{ credentials, clock },
    signRefused: (peer) => ledger.signRefused(peer),
  });
  const codes = new PairingCodes(clock);
  const admitted = new Admitted({
    tokens,
    invite: () => codes.issue({ scope: "own", by: ANYBODY }).code,
  });
  credentials.subscribe(() => {
    codes.keepOnly((key) => credentials.isRequired && credentials.holds(key));
    admitted.recheck();
  });
  const origins = (): OriginRules => ({
    bindHost: host,
    publicUrls: credentials.publicUrls,
    tokenRequired: credentials.isRequired,
  });
  // The requested port, until the server has bound one.
  const address = { host, port: config["server.port"] };
  return { tokens, codes, admitted, origins, address };
}
