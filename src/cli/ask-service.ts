import type { Flags } from "../config/resolve.ts";
import { stateDirFor } from "../config/state-dir.ts";
import { codeOf, StartupError } from "../errors.ts";
import { type DirectReply, requestDirectly } from "../lib/direct-request.ts";
import { isObject, parseJson } from "../lib/json.ts";
import { urlHost } from "../lib/address.ts";
import { findService } from "../store/state-lock.ts";

const TIMEOUT_MS = 5000;
/** More than the state of 500 panes with all their lines. */
const MAX_REPLY_BYTES = 256 * 1024 * 1024;

/** The request may have arrived. */
export class UnansweredError extends StartupError {}

interface ServiceRequest {
  method: "GET" | "POST" | "DELETE";
  path: string;
  body?: unknown;
  timeoutMs?: number;
}

/**
 * The service that holds the lock of the state directory, at the address in its lock file: no other
 * program that listens on the port is sent anything.
 */
export async function serviceOf(flags: Flags) {
  const holder = await findService(stateDirFor(flags));
  if (!holder?.address) return null;
  const { address, secret } = holder;
  return { url: serviceUrl(address.host, address.port), secret, address };
}

/** @throws StartupError with a remedy */
export async function requireService(flags: Flags) {
  const service = await serviceOf(flags);
  if (service) return service;
  const stateDir = stateDirFor(flags);
  throw new StartupError(`no panewatch runs with ${stateDir}: start it, or give its --config`);
}

/**
 * Sends a request to the service of a state directory, signed in as the user of this machine.
 * @throws StartupError with a remedy; UnansweredError where the request may have arrived
 */
export async function askService(
  flags: Flags,
  request: ServiceRequest,
): Promise<{ url: string; reply: DirectReply }> {
  const { url, secret } = await requireService(flags);
  const { method, path, body, timeoutMs = TIMEOUT_MS } = request;
  const headers = {
    authorization: `Bearer ${secret}`,
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
    // Only a refused connection proves that the request did not arrive.
    const Kind = codeOf(cause) === "ECONNREFUSED" ? StartupError : UnansweredError;
    throw new Kind(`the panewatch at ${url} does not answer: start it again`, { cause });
  }
  return { url, reply };
}

/**
 * Sends a request and parses its reply.
 * @throws StartupError with the service's own refusal, where it gives a reason
 */
export async function askFor<T>(
  flags: Flags,
  request: ServiceRequest,
  schema: { safeParse(value: unknown): { data?: T | undefined } },
): Promise<T> {
  const { url, reply } = await askService(flags, request);
  const body = parseJson(reply.text);
  const read = reply.status < 300 ? schema.safeParse(body).data : undefined;
  if (read !== undefined) return read;
  const { message } = refusalOf(reply);
  // "not found" is all that a service says of an unknown path.
  const hasReason = message !== "" && message !== "not found";
  if (hasReason) throw new StartupError(message);
  const what = `is of another release: start it again (${reply.status})`;
  throw new StartupError(`the panewatch at ${url} ${what}`);
}

/** Why a request was refused: a code for programs and a sentence; "" where the reply has none. */
export function refusalOf({ text }: Pick<DirectReply, "text">): { code: string; message: string } {
  const body = parseJson(text);
  const detail = isObject(body) ? body.detail : null;
  if (!isObject(detail)) return { code: "", message: typeof detail === "string" ? detail : "" };
  const of = (name: string) => String(detail[name] ?? "");
  const code = `${of("code")} ${of("reason")}`.trim();
  return { code, message: of("message") || (of("reason") || of("code")).replaceAll("_", " ") };
}

export function serviceUrl(host: string, port: number): string {
  if (host === "0.0.0.0") return `http://127.0.0.1:${port}`;
  if (host === "::") return `http://[::1]:${port}`;
  return `http://${urlHost(host)}:${port}`;
}
