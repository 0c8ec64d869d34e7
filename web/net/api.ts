import type * as creation from "../../src/protocol/creation.ts";
import type * as push from "../../src/protocol/push.ts";
import type { AnsweredState } from "../../src/protocol/acts.ts";
import type { Changes, FileChanges } from "../../src/protocol/changes.ts";
import type { ConfigReply } from "../../src/protocol/config.ts";
import type * as access from "../../src/protocol/access.ts";
import type { EndpointName, EndpointRequest } from "../../src/protocol/endpoints.ts";
import type { CheckHostReply, HostsReply } from "../../src/protocol/hosts.ts";
import type { BroadcastReply, RefusalCode, UploadedImage } from "../../src/protocol/input.ts";
import type { CaseSaved, Explanation } from "../../src/protocol/explain.ts";
import type { QueueReply, QueueState } from "../../src/protocol/queue.ts";
import type { Review, ReviewMark, ReviewMarks } from "../../src/protocol/review.ts";
import { SID_HEADER } from "../../src/protocol/socket.ts";
import type { UsageHistory, UsageReply } from "../../src/protocol/usage.ts";

/** `lost`: whether the server has acted on the call is not known. */
export type Failure =
  | { readonly kind: "unauthorized" }
  | { readonly kind: "lost" }
  | { readonly kind: "refused"; readonly status: number; readonly detail: unknown };

export type Result<T> =
  { readonly ok: true; readonly value: T } | { readonly ok: false; readonly failure: Failure };

export const isGone = (failure: Failure | null): boolean =>
  failure?.kind === "refused" && failure.status === 404;

/** For deletions: what is gone already counts as deleted. */
export const ignoreGone = (result: Result<unknown>): Result<unknown> =>
  !result.ok && isGone(result.failure) ? { ok: true, value: null } : result;

/** A refusal made by this page. */
export const refusal = (detail: string) =>
  ({ ok: false, failure: { kind: "refused", status: 0, detail } }) satisfies Result<never>;

declare const locked: unique symbol;
/** Proof that the panes of a call are locked: the types let nothing reach a terminal without it. */
export interface LockToken {
  readonly [locked]: true;
}

type LockedEndpoint = `POST /api/${"key" | "text" | "select" | "input" | "broadcast" | "stop"}`;

type CallOptions<K extends EndpointName, T> = EndpointRequest<K> &
  (K extends LockedEndpoint ? { readonly lockToken: LockToken } : unknown) &
  (K extends "POST /api/images" ? { readonly image: Blob } : unknown) &
  CommonOptions<T>;

interface CommonOptions<T> {
  /** Reads the reply, null for a malformed one; without it the reply has the type of `Replies`. */
  readonly read?: (body: unknown) => T | null;
  readonly signal?: AbortSignal | undefined;
  readonly timeoutMs?: number;
}

export type CallArgs<K extends EndpointName, T> =
  Partial<CallOptions<K, T>> extends CallOptions<K, T> ? [CallOptions<K, T>?] : [CallOptions<K, T>];

const TIMEOUT_MS = 15_000;

interface ApiDeps {
  readonly fetch: (input: string, init: RequestInit) => Promise<Response>;
  readonly token: () => string;
  /** Id of the pane socket, by which the server's log names who acts; null before hello. */
  readonly sid: () => string | null;
  /** Aborted at sign-out: later replies are not for who is there then. */
  readonly signedOut: AbortSignal;
  /** From the Date header of each reply, in epoch milliseconds. */
  readonly onServerTime: (epochMs: number) => void;
  readonly onUnauthorized: () => void;
  /** The grant allows less than this page believes. */
  readonly onForbidden: () => void;
}

export class Api {
  readonly #deps: ApiDeps;
  constructor(deps: ApiDeps) {
    this.#deps = deps;
  }

  async call<K extends EndpointName, T = ReplyOf<K>>(
    name: K,
    ...[given]: CallArgs<K, T>
  ): Promise<Result<T>> {
    // `CallArgs` says which of these an endpoint has.
    const options = (given ?? {}) as UntypedOptions<T>;
    const { path = {}, query = {}, json, image, read, signal, timeoutMs } = options;
    const [method = "", pattern = ""] = name.split(" ");
    const filled = pattern.replace(/:(\w+)/g, (_, part) => encodeURIComponent(path[part] ?? ""));
    const set = Object.entries(query).filter(([, value]) => value != null && value !== "");
    const search = new URLSearchParams(set.map(([key, value]) => [key, String(value)]));
    const address = search.size === 0 ? filled : `${filled}?${search}`;
    const result = await this.#fetch(method, address, image ?? json, signal, timeoutMs);
    if (this.#deps.signedOut.aborted) return { ok: false, failure: { kind: "unauthorized" } };
    if (!result.ok) return result;
    if (read === undefined) return { ok: true, value: result.value as T };
    const value = read(result.value);
    // A malformed reply tells as little as none.
    return value === null ? { ok: false, failure: { kind: "lost" } } : { ok: true, value };
  }

  async #fetch(
    method: string,
    path: string,
    body: unknown,
    signal: AbortSignal | undefined,
    timeoutMs = TIMEOUT_MS,
  ): Promise<Result<unknown>> {
    const headers: Record<string, string> = {};
    const token = this.#deps.token();
    if (token !== "") headers.Authorization = `Bearer ${token}`;
    const sid = method === "GET" ? null : this.#deps.sid();
    if (sid !== null) headers[SID_HEADER] = sid;
    const isImage = body instanceof Blob;
    if (body !== undefined) headers["Content-Type"] = isImage ? body.type : "application/json";
    const init: RequestInit = { method, headers, cache: "no-store", credentials: "omit" };
    if (body !== undefined) init.body = isImage ? body : JSON.stringify(body);
    const timeout = AbortSignal.timeout(timeoutMs);
    init.signal = signal === undefined ? timeout : AbortSignal.any([signal, timeout]);
    try {
      const response = await this.#deps.fetch(path, init);
      const date = Date.parse(response.headers.get("date") ?? "");
      if (!Number.isNaN(date)) this.#deps.onServerTime(date);
      const result = await this.#read(response);
      // Of a token that was replaced meanwhile a 401 says nothing about the new one.
      if (response.status === 401 && token === this.#deps.token()) this.#deps.onUnauthorized();
      if (response.status === 403 && path !== "/api/config") this.#deps.onForbidden();
      return result;
    } catch {
      return { ok: false, failure: { kind: "lost" } };
    }
  }

  async #read(response: Response): Promise<Result<unknown>> {
    if (response.status === 401) return { ok: false, failure: { kind: "unauthorized" } };
    if (response.ok) return { ok: true, value: await response.json() };
    const body: unknown = await response.json().catch(() => null);
    const isOurs = "detail" in Object(body);
    // An error of a gateway in front of the server does not tell whether the call arrived.
    if (!isOurs && response.status >= 500) return { ok: false, failure: { kind: "lost" } };
    const { detail = null } = Object(body);
    return { ok: false, failure: { kind: "refused", status: response.status, detail } };
  }
}

interface UntypedOptions<T> extends CommonOptions<T> {
  readonly path?: Readonly<Record<string, string>>;
  readonly query?: Readonly<Record<string, unknown>>;
  readonly json?: unknown;
  readonly image?: Blob;
}

/**
 * Whether something may have reached the terminal; an error inside the server leaves that open too.
 */
export function isUncertain(failure: Failure): boolean {
  if (failure.kind === "lost") return true;
  if (says(failure, /delivery_unknown$/)) return true;
  return failure.kind === "refused" && failure.status >= 500 && failure.status !== 503;
}

export const isPartial = (failure: Failure): boolean => says(failure, /^partial_delivery_unknown$/);

/**
 * The word may stand in `detail` itself, in `code` or in `reason`, beside a sentence for people.
 */
function says(failure: Failure, word: RegExp): boolean {
  if (failure.kind !== "refused") return false;
  const { code, reason } = Object(failure.detail);
  return [failure.detail, code, reason].some((said) => word.test(String(said)));
}

/**
 * Codes that are shown instead of their reason, which is about a prompt where there is none, or
 * names the pane by its id.
 */
const WORDED: ReadonlySet<unknown> = new Set<RefusalCode>([
  ...(["draft_there", "pane_gone", "pane_unreadable", "other_program"] as const),
]);

export function reasonOf(failure: Failure): string {
  if (failure.kind !== "refused") return "";
  const { detail } = failure;
  if (typeof detail === "string") return detail;
  const { code, reason, message } = Object(detail);
  if (WORDED.has(code)) return code;
  const said = [reason, message].find((one) => typeof one === "string");
  return said ?? "";
}

/** The sentence that comes with the failure, else its reason. */
export function sentenceOf(failure: Failure): string {
  const { message } = failure.kind === "refused" ? Object(failure.detail) : {};
  return typeof message === "string" ? message : reasonOf(failure);
}

/** What a failed call means for the person. */
export type FailureStep =
  { readonly step: "refused"; readonly reason: string } | { readonly step: "uncertain" };

export const failureStep = (failure: Failure): FailureStep =>
  isUncertain(failure) ? { step: "uncertain" } : { step: "refused", reason: sentenceOf(failure) };

/** Replies that are trusted to have the promised shape; all others are read by `read`. */
interface Replies {
  "PUT /api/agents/:id/review": ReviewMark;
  "GET /api/answered": AnsweredState;
  "POST /api/broadcast": BroadcastReply;
  "POST /api/cases/save": CaseSaved;
  "GET /api/changes": Changes;
  "GET /api/changes/file": FileChanges;
  "GET /api/config": ConfigReply;
  "PATCH /api/config": ConfigReply;
  "POST /api/explain": Explanation;
  "DELETE /api/grants/:id": access.GrantRemoval;
  "GET /api/hosts": HostsReply;
  "POST /api/images": UploadedImage;
  "POST /api/hosts/check": CheckHostReply;
  "POST /api/mux/create": creation.CreateReply;
  "GET /api/mux/creation": creation.CreationState;
  "GET /api/mux/directories": creation.DirectoryListing;
  "GET /api/mux/message": creation.FirstMessageFate;
  "GET /api/mux/resume": creation.ResumeState;
  "POST /api/mux/resume": creation.CreateReply;
  "POST /api/pair": access.PairReply;
  "POST /api/pair/codes": access.PairingLink;
  "POST /api/phone/token": access.PairReply;
  "GET /api/push/devices": push.DevicesReply;
  "PATCH /api/push/devices/:id": push.PushDevice;
  "POST /api/push/devices/:id/test": push.TestReply;
  "POST /api/push/web/register": push.WebRegisterReply;
  "GET /api/queue": QueueState;
  "POST /api/queue": QueueReply;
  "GET /api/review": Pick<Review, "settings" | "due">;
  "PUT /api/review/all": ReviewMarks;
  "GET /api/sessions": access.SessionsReply;
  "GET /api/usage": UsageReply;
  "GET /api/usage/history": UsageHistory;
  "POST /api/usage/refresh": UsageReply;
}

export type ReplyOf<Name> = Name extends keyof Replies ? Replies[Name] : unknown;
