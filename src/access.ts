import type { AppOptions } from "./app.ts";
import { TokenCheck } from "./http/auth.ts";

export type Access = ReturnType<typeof createAccess>;

/** The checks of token and origin, and the address that is bound. */
export function createAccess({ settings, localSecret, clock }: AppOptions) {
  const config = settings.current;
  const host = config["server.host"];
  const tokens = new TokenCheck({
    token: config["server.token"],
    read: config["server.read_token"],
    ...(localSecret ? { local: localSecret } : {}),
    clock,
  });
  const origins = {
    bindHost: host,
    publicUrls: config["server.public_urls"],
    tokenRequired: tokens.isRequired,
  };
  // The requested port, until the server has bound one.
  const address = { host, port: config["server.port"] };
  return { tokens, origins, address };
}
