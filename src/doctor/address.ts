import { serviceUrl } from "../cli/ask-service.ts";
import { readKeptAccess, tokenOf } from "../config/kept-access.ts";
import { isObject } from "../config/field.ts";
import { type Check, type DoctorContext, fail, ok, warn } from "./topic.ts";
import { requestDirectly } from "../lib/direct-request.ts";
import { parseJson } from "../lib/json.ts";
import { listenFailure } from "../lib/listen.ts";
import { isLoopback } from "../lib/loopback.ts";

const MIN_TOKEN_CHARS = 16;
const PROBE_TIMEOUT_MS = 2000;
const PROBE_MAX_BYTES = 1024 * 1024;

type Listener = "free" | "panewatch" | "other" | { failure: string };

export interface AddressFacts {
  host: string;
  port: number;
  tokenChars: number;
  listener: Listener;
}

export async function lookAtAddress(context: DoctorContext): Promise<readonly Check[]> {
  const { config, stateDir } = context;
  const host = config["server.host"];
  const port = config["server.port"];
  const tokenChars = tokenOf(config, await readKeptAccess(stateDir)).length;
  return addressChecks({ host, port, tokenChars, listener: await listenerAt(host, port) });
}

export function addressChecks({ host, port, tokenChars, listener }: AddressFacts): Check[] {
  const at = `${host} port ${port}`;
  const checks: Check[] = [];
  if (tokenChars > 0) checks.push(ok("a token is set"));
  else if (isLoopback(host)) checks.push(ok("no token: only this machine can connect"));
  else
    checks.push(
      fail(
        `refusing to bind ${host} with an empty token`,
        "set server.token in the file, or run panewatch phone first",
      ),
    );
  if (tokenChars > 0 && tokenChars < MIN_TOKEN_CHARS)
    checks.push(
      warn(`the token has ${tokenChars} characters`, "use a long random one: openssl rand -hex 32"),
    );
  if (listener === "free") checks.push(ok(port === 0 ? `${host}, any free port` : `${at} is free`));
  else if (listener === "panewatch") checks.push(ok(`panewatch runs at ${at}`));
  else if (listener === "other")
    checks.push(fail(`${at} is taken by another program`, "choose another port with --port"));
  else checks.push(fail(`cannot listen on ${at}: ${listener.failure}`, "see --host and --port"));
  return checks;
}

async function listenerAt(host: string, port: number): Promise<Listener> {
  const code = await listenFailure(host, port);
  if (code === null) return "free";
  if (code !== "EADDRINUSE") return { failure: code };
  return (await isPanewatch(host, port)) ? "panewatch" : "other";
}

/** Asks without the token, which another program on the port must not learn. */
async function isPanewatch(host: string, port: number): Promise<boolean> {
  try {
    const reply = await requestDirectly(`${serviceUrl(host, port)}/api/config`, {
      method: "GET",
      timeoutMs: PROBE_TIMEOUT_MS,
      maxBytes: PROBE_MAX_BYTES,
    });
    const body = parseJson(reply.text);
    if (!isObject(body)) return false;
    return "_info" in body || ("detail" in body && body.detail === "bad or missing token");
  } catch {
    // Something listens that speaks no HTTP: it is not this service.
    return false;
  }
}
