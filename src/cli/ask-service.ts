import { StartupError } from "../errors.ts";
import { type DirectReply, requestDirectly } from "../lib/direct-request.ts";
import { urlHost } from "../lib/loopback.ts";
import { findService } from "./claim.ts";

const TIMEOUT_MS = 5000;
/** The state of 500 panes with all their lines stays below it. */
const MAX_REPLY_BYTES = 256 * 1024 * 1024;

export interface ServiceRequest {
  method: "GET" | "POST" | "DELETE";
  path: string;
  body?: unknown;
  timeoutMs?: number;
}

export interface ServiceAddress {
  url: string;
  /** Signs in as its user; "" where the service is of an earlier release. */
  secret: string;
}

/**
 * The service that holds the lock of the state directory, at the address that it has written there:
 * another program that listens on the port is sent nothing.
 */
export async function serviceOf(stateDir: string): Promise<ServiceAddress | null> {
  const holder = await findService(stateDir);
  if (!holder?.address) return null;
  const { host, port } = holder.address;
  return { url: serviceUrl(host, port), secret: holder.secret ?? "" };
}

/**
 * Asks the service of a state directory, signed in as the user of this machine.
 * @throws StartupError with what to do about it
 */
export async function askService(
  stateDir: string,
  request: ServiceRequest,
): Promise<{ url: string; reply: DirectReply }> {
  const service = await serviceOf(stateDir);
  if (!service)
    throw new StartupError(`no panewatch runs with ${stateDir}: start it, or give its --config`);
  const { url, secret } = service;
  const { method, path, body, timeoutMs = TIMEOUT_MS } = request;
  const headers = {
    ...(secret === "" ? {} : { authorization: `Bearer ${secret}` }),
    ...(body === undefined ? {} : { "content-type": "application/json" }),
  };
  let reply: DirectReply;
  try {
    reply = await requestDirectly(`${url}${path}`, {
      method,
      headers,
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
      timeoutMs,
      maxBytes: MAX_REPLY_BYTES,
    });
  } catch (cause) {
    throw new StartupError(`the panewatch at ${url} does not answer: start it again`, { cause });
  }
  if (reply.status === 401)
    throw new StartupError(`the panewatch at ${url} is of an earlier release: start it again`);
  return { url, reply };
}

/** Where this machine reaches a service that is bound to a host. */
export function serviceUrl(host: string, port: number): string {
  if (host === "0.0.0.0") return `http://127.0.0.1:${port}`;
  if (host === "::") return `http://[::1]:${port}`;
  return `http://${urlHost(host)}:${port}`;
}
