import { homedir } from "node:os";
import { readFlags } from "../config/flags.ts";
import { loadConfig } from "../config/load.ts";
import { StartupError } from "../errors.ts";
import { systemClock } from "../lib/clock.ts";
import { type DirectReply, requestDirectly } from "../lib/direct-request.ts";
import { createLog } from "../lib/log.ts";
import { urlHost } from "../lib/url-host.ts";
import { renderInvitation } from "../pairing/invitation.ts";
import { PairingLink } from "../protocol/pairing.ts";
import type { Flags } from "./arguments.ts";
import { configPathOf } from "./serve.ts";

const TIMEOUT_MS = 5000;
const MAX_REPLY_BYTES = 64 * 1024;

/** Asks the running service for a pairing link and prints it. */
export async function pair(flags: Flags): Promise<number> {
  const { settings } = await loadConfig({
    configPath: configPathOf(flags),
    flags: readFlags(flags),
    home: homedir(),
    log: createLog(),
    clock: systemClock,
  });
  const config = settings.current;
  const link = await requestLink({
    url: serviceUrl(config["server.host"], config["server.port"]),
    token: config["server.token"],
  });
  const hasColours = process.stdout.isTTY && !process.env.NO_COLOR;
  process.stdout.write(renderInvitation(link, { hasColours }));
  return 0;
}

/** @throws StartupError with what to do about it */
export async function requestLink(service: { url: string; token: string }): Promise<PairingLink> {
  const { url, token } = service;
  if (token === "") throw new StartupError("pairing needs a token: set server.token");
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
    throw new StartupError(
      `no panewatch answers at ${url}: start it, or give its --config, --host and --port`,
      { cause },
    );
  }
  if (reply.status === 401)
    throw new StartupError(`the panewatch at ${url} has another token: give its --config`);
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
