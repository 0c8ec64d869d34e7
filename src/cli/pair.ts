import { homedir } from "node:os";
import { readFlags } from "../config/flags.ts";
import { readSources } from "../config/load.ts";
import { StartupError } from "../errors.ts";
import { type DirectReply, requestDirectly } from "../lib/direct-request.ts";
import { createLog } from "../lib/log.ts";
import { urlHost } from "../lib/url-host.ts";
import { renderInvitation } from "../pairing/invitation.ts";
import { PairingLink } from "../protocol/pairing.ts";
import type { Flags } from "./arguments.ts";
import { findService } from "./claim.ts";
import { configPathOf } from "./serve.ts";

const TIMEOUT_MS = 5000;
const MAX_REPLY_BYTES = 64 * 1024;

/** Asks the running service for a pairing link and prints it. */
export async function pair(flags: Flags): Promise<number> {
  const { config, stateDir } = await readSources({
    configPath: configPathOf(flags),
    flags: readFlags(flags),
    home: homedir(),
    log: createLog(),
  });
  const link = await requestLink({ stateDir, token: config["server.token"] });
  const hasColours = process.stdout.isTTY && !process.env.NO_COLOR;
  process.stdout.write(renderInvitation(link, { hasColours }));
  return 0;
}

/**
 * Asks the service that holds the state directory, at the address that it has told there: whoever
 * else listens at a port is sent nothing.
 * @throws StartupError with what to do about it
 */
export async function requestLink(options: {
  stateDir: string;
  token: string;
}): Promise<PairingLink> {
  const { stateDir, token } = options;
  if (token === "") throw new StartupError("pairing needs a token: set server.token");
  const address = (await findService(stateDir))?.address;
  if (!address)
    throw new StartupError(`no panewatch runs with ${stateDir}: start it, or give its --config`);
  const url = serviceUrl(address.host, address.port);
  const headers = { authorization: `Bearer ${token}` };
  let reply: DirectReply;
  try {
    reply = await requestDirectly(`${url}/api/pair/codes`, {
      method: "POST",
      headers,
      timeoutMs: TIMEOUT_MS,
      maxBytes: MAX_REPLY_BYTES,
    });
  } catch (cause) {
    throw new StartupError(`the panewatch at ${url} does not answer: start it again`, { cause });
  }
  if (reply.status === 401)
    throw new StartupError(
      `the panewatch at ${url} has another token: give its --config or --token`,
    );
  const link = parseLink(reply);
  if (!link) throw new StartupError(`what answers at ${url} cannot pair (${reply.status})`);
  return link;
}

/** Where this machine reaches a service that is bound to a host. */
export function serviceUrl(host: string, port: number): string {
  if (host === "0.0.0.0") return `http://127.0.0.1:${port}`;
  if (host === "::") return `http://[::1]:${port}`;
  return `http://${urlHost(host)}:${port}`;
}

function parseLink({ status, text }: DirectReply): PairingLink | null {
  if (status !== 200) return null;
  try {
    return PairingLink.safeParse(JSON.parse(text)).data ?? null;
  } catch {
    // Not JSON: something else listens there.
    return null;
  }
}
