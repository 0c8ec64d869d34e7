import { StartupError } from "../errors.ts";
import { type DirectReply, requestDirectly } from "../lib/direct-request.ts";
import { urlHost } from "../lib/url-host.ts";
import { findService } from "./claim.ts";

const TIMEOUT_MS = 5000;
const MAX_REPLY_BYTES = 1024 * 1024;

/**
 * Asks the service that holds the lock of the state directory, at the address that it has written
 * there: another program that listens on the port is sent nothing.
 * @throws StartupError with what to do about it
 */
export async function askService(options: {
  stateDir: string;
  token: string;
  path: string;
  /** Sent as JSON. */
  body?: unknown;
}): Promise<{ url: string; reply: DirectReply }> {
  const { stateDir, token, path, body } = options;
  const address = (await findService(stateDir))?.address;
  if (!address)
    throw new StartupError(`no panewatch runs with ${stateDir}: start it, or give its --config`);
  const url = serviceUrl(address.host, address.port);
  const headers = {
    ...(token === "" ? {} : { authorization: `Bearer ${token}` }),
    ...(body === undefined ? {} : { "content-type": "application/json" }),
  };
  let reply: DirectReply;
  try {
    reply = await requestDirectly(`${url}${path}`, {
      method: "POST",
      headers,
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
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
  return { url, reply };
}

/** Where this machine reaches a service that is bound to a host. */
export function serviceUrl(host: string, port: number): string {
  if (host === "0.0.0.0") return `http://127.0.0.1:${port}`;
  if (host === "::") return `http://[::1]:${port}`;
  return `http://${urlHost(host)}:${port}`;
}
