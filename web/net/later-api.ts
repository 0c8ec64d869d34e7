import type { AnsweredState } from "../../src/protocol/answered.ts";
import type { Changes, ChangesQuery, FileChanges, FileQuery } from "../../src/protocol/changes.ts";
import type { SessionsReply } from "../../src/protocol/connections.ts";
import type {
  CreateReply,
  CreateRequest,
  CreationState,
  DirectoryListing,
  FirstMessageFate,
  ResumeState,
} from "../../src/protocol/creation.ts";
import type { ContinueReply, ContinueRequest, Explanation } from "../../src/protocol/input.ts";
import type {
  ChosenPreferences,
  DevicesReply,
  PushDevice,
  TestReply,
  WebRegisterReply,
  WebRegisterRequest,
} from "../../src/protocol/push.ts";
import type {
  QueueReply,
  QueueRequest,
  QueueState,
  StopRequest,
} from "../../src/protocol/queue.ts";
import type { Reading } from "../../src/protocol/read.ts";
import type {
  UsageHistory,
  UsagePeriod,
  UsageReply,
  UsageScope,
} from "../../src/protocol/usage.ts";
import { type Api, type Failure, type Pass, reasonOf, type Result } from "./api.ts";

const QUEUE_MS = 8000;
/** One look at what became of a first message; the next follows. */
const FATE_MS = 5000;

/** Calls of parts that load later: the first load carries only those that it needs. */
export class LaterApi {
  readonly #api: Api;
  constructor(api: Api) {
    this.#api = api;
  }

  sessions = (signal: AbortSignal) => this.#get<SessionsReply>("/api/sessions", signal);
  killSession = (id: string) => this.#post<unknown>("/api/sessions/kill", { id });

  usage = (signal: AbortSignal) => this.#get<UsageReply>("/api/usage", signal);
  usageHistory = (period: UsagePeriod, signal: AbortSignal) =>
    this.#get<UsageHistory>(`/api/usage/history?period=${period}`, signal);
  refreshUsage = (scope: UsageScope, signal: AbortSignal) =>
    this.#post<UsageReply>("/api/usage/refresh", { scope }, signal);

  /** @param host null for the server's own machine */
  creation = (host: string | null, signal: AbortSignal) =>
    this.#get<CreationState>(`/api/mux/creation?${on(host)}`, signal);
  directories = (host: string | null, path: string, signal: AbortSignal) => {
    const query = on(host, { path });
    return this.#get<DirectoryListing>(`/api/mux/directories?${query}`, signal);
  };
  changes = (query: ChangesQuery, signal: AbortSignal) =>
    this.#get<Changes>(`/api/changes?${new URLSearchParams(query)}`, signal);
  fileChanges = ({ old_path, ...query }: FileQuery, signal: AbortSignal) => {
    const asked = new URLSearchParams(query);
    if (old_path !== undefined) asked.set("old_path", old_path);
    return this.#get<FileChanges>(`/api/changes/file?${asked}`, signal);
  };
  firstMessage = (id: string) =>
    this.#get<FirstMessageFate>(
      `/api/mux/message?${new URLSearchParams({ id })}`,
      AbortSignal.timeout(FATE_MS),
    );
  closePane = (id: string) => this.#post<unknown>("/api/mux/close", { id });
  resumable = (id: string) =>
    this.#get<ResumeState>(
      `/api/mux/resume?${new URLSearchParams({ agent_id: id })}`,
      AbortSignal.timeout(QUEUE_MS),
    );
  resume = (id: string) => this.#post<CreateReply>("/api/mux/resume", { agent_id: id });
  create = (body: CreateRequest) => this.#post<CreateReply>("/api/mux/create", body);

  pushDevices = (signal: AbortSignal) => this.#get<DevicesReply>("/api/push/devices", signal);
  registerPush = (body: WebRegisterRequest) =>
    this.#post<WebRegisterReply>("/api/push/web/register", body);
  preferPushDevice = (id: string, preferences: ChosenPreferences) =>
    this.#api.ask("PATCH", `/api/push/devices/${id}`, (reply) => promised<PushDevice>(reply), {
      body: { preferences },
    });
  removePushDevice = (id: string) =>
    this.#api.ask("DELETE", `/api/push/devices/${id}`, (reply) => promised<unknown>(reply));
  testPushDevice = (id: string) => this.#post<TestReply>(`/api/push/devices/${id}/test`);

  answered = (signal: AbortSignal) => this.#get<AnsweredState>("/api/answered", signal);
  hideAnswered = (id: string) => this.#post<unknown>("/api/answered/hide", { id });

  continueThen = (body: ContinueRequest) => this.#post<ContinueReply>("/api/continue", body);

  queue = () => this.#get<QueueState>("/api/queue", AbortSignal.timeout(QUEUE_MS));
  changeQueue = (body: QueueRequest, signal: AbortSignal) =>
    this.#post<QueueReply>("/api/queue", body, signal);
  sendQueued = (_: Pass, body: QueueRequest, signal: AbortSignal) => this.changeQueue(body, signal);
  stop = (_: Pass, body: StopRequest, signal: AbortSignal) =>
    this.#post<unknown>("/api/stop", body, signal);

  explain = (id: string, signal: AbortSignal) =>
    this.#post<Explanation>("/api/explain", { id }, signal);

  #get<T>(path: string, signal: AbortSignal): Promise<Result<T>> {
    return this.#api.ask("GET", path, (body) => promised<T>(body), { signal });
  }

  #post<T>(path: string, body?: unknown, signal?: AbortSignal): Promise<Result<T>> {
    const options = { body, ...(signal === undefined ? {} : { signal }) };
    return this.#api.ask("POST", path, (reply) => promised<T>(reply), options);
  }
}

const on = (host: string | null, query: Readonly<Record<string, string>> = {}): URLSearchParams =>
  new URLSearchParams(host === null ? query : { ...query, host });

/** Why, for a person: in the sentence that comes with the reason, else by the reason. */
export function sentenceOf(failure: Failure): string {
  const detail: unknown = failure.kind === "refused" ? failure.detail : null;
  const said: unknown =
    typeof detail === "object" && detail !== null ? Reflect.get(detail, "message") : null;
  return typeof said === "string" ? said : reasonOf(failure);
}

/** What the server promises of a reply that is drawn as it is. */
function promised<T>(body: unknown): Reading<T> {
  return { ok: true, value: body as T };
}
