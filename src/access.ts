import type { AppOptions } from "./app.ts";
import { TokenCheck } from "./http/auth.ts";

export type Access = ReturnType<typeof createAccess>;

/** Who may ask, and under which addresses. */
export function createAccess({ settings, clock }: AppOptions) {
  const config = settings.current;
  const host = config["server.host"];
  const tokens = new TokenCheck({ token: config["server.token"], clock });
  const origins = {
    bindHost: host,
    publicUrls: config["server.public_urls"],
    tokenRequired: tokens.isRequired,
  };
  // Until it listens, the port that was asked for.
  const address = { host, port: config["server.port"] };
  return { tokens, origins, address };
}
