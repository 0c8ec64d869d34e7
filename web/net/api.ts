import type { ConfigReply, LiveConfig } from "../../src/protocol/config.ts";
import type {
  BroadcastReply,
  BroadcastRequest,
  InputRequest,
  KeyRequest,
  SelectRequest,
  TextRequest,
} from "../../src/protocol/input.ts";
import type { Reading } from "../../src/protocol/read.ts";
import type { PairReply } from "../../src/protocol/pairing.ts";
import { SID_HEADER } from "../../src/protocol/sid.ts";

/** Why a call did not succeed. `lost`: nobody knows whether the server has acted on it. */
export type Failure =
  | { readonly kind: "unauthorized" }
  | { readonly kind: "lost" }
  | { readonly kind: "refused"; readonly status: number; readonly detail: unknown };

export type Result<T> =
  { readonly ok: true; readonly value: T } | { readonly ok: false; readonly failure: Failure };

declare const claimed: unique symbol;
/** Says that the panes of a call were claimed: nothing reaches a terminal without it. */
export interface Pass {
  readonly [claimed]: true;
}

const TIMEOUT_MS = 15_000;

export interface ApiDeps {
  readonly fetch: (input: string, init: RequestInit) => Promise<Response>;
  readonly token: () => string;
  /** The session of the pane socket, by which the server's log names who acts; null before hello. */
  readonly sid: () => string | null;
  /** The server's clock, from the Date header of each reply: epoch milliseconds. */
  readonly onServerTime: (epochMs: number) => void;
  /** The token in use is none any more. */
  readonly onUnauthorized: () => void;
}

/** Every call of the web client. */
export class Api {
  readonly #deps: ApiDeps;
  constructor(deps: ApiDeps) {
    this.#deps = deps;
  }

  config = () => this.#call<ConfigReply>("GET", "/api/config");
  patchConfig = (body: Partial<LiveConfig>) =>
    this.#call<ConfigReply>("PATCH", "/api/config", body);
  state = (signal?: AbortSignal) => this.#call<unknown>("GET", "/api/state", undefined, signal);

  key = (_: Pass, body: KeyRequest, signal: AbortSignal) => this.#post("/api/key", body, signal);
  text = (_: Pass, body: TextRequest, signal: AbortSignal) => this.#post("/api/text", body, signal);
  select = (_: Pass, body: SelectRequest, signal: AbortSignal) =>
    this.#post("/api/select", body, signal);
  input = (_: Pass, body: InputRequest, signal: AbortSignal) =>
    this.#post("/api/input", body, signal);
  broadcast = (_: Pass, body: BroadcastRequest, signal: AbortSignal) =>
    this.#call<BroadcastReply>("POST", "/api/broadcast", body, signal);
  star = (target: string, starred: boolean) => this.#post("/api/star", { target, starred });
  seen = (id: string) => this.#post("/api/seen", { id });

  /** Exchanges a pairing code for a token of this browser's own; needs none itself. */
  pair = (code: string, name: string) => this.#call<PairReply>("POST", "/api/pair", { code, name });

  /** Signing out ends the grant of this browser there as well. */
  leave = () => this.#call("DELETE", "/api/grants/self");

  /** For parts that load later: their paths, and readers of what comes back. */
  async ask<T>(
    method: string,
    path: string,
    read: (body: unknown) => Reading<T>,
    {
      body,
      signal,
      timeoutMs,
    }: {
      readonly body?: unknown;
      readonly signal?: AbortSignal;
      readonly timeoutMs?: number;
    } = {},
  ): Promise<Result<T>> {
    const result = await this.#call<unknown>(method, path, body, signal, timeoutMs);
    if (!result.ok) return result;
    const reading = read(result.value);
    // An answer that is none tells as little as no answer.
    return reading.ok
      ? { ok: true, value: reading.value }
      : { ok: false, failure: { kind: "lost" } };
  }

  #post(path: string, body: unknown, signal?: AbortSignal): Promise<Result<unknown>> {
    return this.#call("POST", path, body, signal);
  }

  async #call<T>(
    method: string,
    path: string,
    body?: unknown,
    signal?: AbortSignal,
    timeoutMs = TIMEOUT_MS,
  ): Promise<Result<T>> {
    const headers: Record<string, string> = {};
    const token = this.#deps.token();
    if (token !== "") headers.Authorization = `Bearer ${token}`;
    const sid = method === "GET" ? null : this.#deps.sid();
    if (sid !== null) headers[SID_HEADER] = sid;
    if (body !== undefined) headers["Content-Type"] = "application/json";
    const init: RequestInit = { method, headers, cache: "no-store", credentials: "omit" };
    if (body !== undefined) init.body = JSON.stringify(body);
    const timeout = AbortSignal.timeout(timeoutMs);
    init.signal = signal === undefined ? timeout : AbortSignal.any([signal, timeout]);
    try {
      const response = await this.#deps.fetch(path, init);
      const date = Date.parse(response.headers.get("date") ?? "");
      if (!Number.isNaN(date)) this.#deps.onServerTime(date);
      const result = await this.#read<T>(response);
      if (response.status === 401) this.expire(token);
      return result;
    } catch {
      return { ok: false, failure: { kind: "lost" } };
    }
  }

  /** This token was refused; one that has been replaced since says nothing of the one in use. */
  expire(token: string): void {
    if (token === this.#deps.token()) this.#deps.onUnauthorized();
  }

  async #read<T>(response: Response): Promise<Result<T>> {
    if (response.status === 401) return { ok: false, failure: { kind: "unauthorized" } };
    if (response.ok) return { ok: true, value: (await response.json()) as T };
    const body: unknown = await response.json().catch(() => null);
    const isOurs = typeof body === "object" && body !== null && "detail" in body;
    // A gateway that answers for a server it lost knows no more than we do.
    if (!isOurs && response.status >= 500) return { ok: false, failure: { kind: "lost" } };
    const detail = isOurs ? (body as { detail: unknown }).detail : null;
    return { ok: false, failure: { kind: "refused", status: response.status, detail } };
  }
}

/** Whether nobody knows what has reached the terminal. An error inside the server tells as little. */
export function isUncertain(failure: Failure): boolean {
  if (failure.kind === "lost") return true;
  if (reasonOf(failure).endsWith("delivery_unknown")) return true;
  return failure.kind === "refused" && failure.status >= 500 && failure.status !== 503;
}

/** The reason that a refusal gives, in the server's words. */
export function reasonOf(failure: Failure): string {
  if (failure.kind !== "refused") return "";
  const { detail } = failure;
  if (typeof detail === "string") return detail;
  if (typeof detail !== "object" || detail === null) return "";
  if ("reason" in detail && typeof detail.reason === "string") return detail.reason;
  if ("message" in detail && typeof detail.message === "string") return detail.message;
  return "";
}
