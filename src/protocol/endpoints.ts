import { z } from "zod";
import { ActsQuery } from "./acts.ts";
import {
  BindingRequest,
  DecisionReply,
  DecisionsQuery,
  MessageRequest,
  MessagesQuery,
  PageQuery,
  SearchQuery,
  UnbindQuery,
} from "./agent-replies.ts";
import { CaseSaveRequest } from "./explain.ts";
import { ChangesQuery, FileQuery } from "./changes.ts";
import { PaneId } from "./creation.ts";
import { CodeRequest, GrantName, GrantScope, PairRequest } from "./access.ts";
import {
  BroadcastRequest,
  ContinueRequest,
  InputRequest,
  KeyRequest,
  SelectRequest,
  TextRequest,
} from "./input.ts";
import { PaneRef } from "./pane.ts";
import { ChosenPreferences, RegisterRequest, WebRegisterRequest } from "./push.ts";
import { QueueRequest, StopRequest } from "./queue.ts";
import { ReviewAllRequest, ReviewRequest, ReviewSettingsPatch } from "./review.ts";
import type { Scope } from "./scope.ts";
import { UsageHistoryQuery } from "./usage.ts";

export interface Endpoint {
  /** The scope that a grant needs; null: open to everybody. */
  readonly scope: Scope | null;
  readonly json?: z.ZodType;
  /** A missing body is read as an empty object. */
  readonly absent?: true;
  readonly query?: z.ZodType;
}

/**
 * Every endpoint, with its scope and its input. `input/client.ts` checks keys, texts and options
 * further, `push/slice.ts` whose alerts a request may change.
 */
export const ENDPOINTS = {
  "GET /api/state": { scope: "look", query: z.object({ cards: z.string().optional() }) },
  "GET /api/cards": { scope: "look" },
  "GET /api/waiting": { scope: "look" },
  "POST /api/explain": { scope: "look", json: z.object({ id: PaneRef }) },
  "POST /api/star": { scope: "type", json: z.object({ target: PaneRef, starred: z.boolean() }) },
  "POST /api/seen": { scope: "answer", json: z.object({ id: PaneRef }) },

  "POST /api/key": { scope: "answer", json: KeyRequest },
  "POST /api/text": { scope: "answer", json: TextRequest },
  "POST /api/select": { scope: "answer", json: SelectRequest },
  "POST /api/input": { scope: "answer", json: InputRequest },
  "POST /api/broadcast": { scope: "type", json: BroadcastRequest },
  "POST /api/continue": { scope: "type", json: ContinueRequest },
  "GET /api/acts": { scope: "look", query: ActsQuery },
  "GET /api/queue": { scope: "look" },
  "POST /api/queue": { scope: "type", json: QueueRequest },
  "POST /api/stop": { scope: "type", json: StopRequest },
  "POST /api/images": { scope: "type", query: z.object({ id: z.string().default("") }) },

  "GET /api/mux/creation": { scope: "look", query: z.object({ host: z.string().optional() }) },
  "GET /api/mux/directories": {
    scope: "look",
    query: z.object({ host: z.string(), path: z.string() }).partial(),
  },
  // Its handler checks the body and words the refusal itself.
  "POST /api/mux/create": { scope: "type", json: z.unknown() },
  "GET /api/mux/message": { scope: "look", query: z.object({ id: z.string().default("") }) },
  "GET /api/mux/resume": { scope: "look", query: z.object({ agent_id: z.string().default("") }) },
  "POST /api/mux/resume": { scope: "type", json: z.strictObject({ agent_id: z.uuid() }) },
  "POST /api/mux/close": { scope: "type", json: z.strictObject({ id: PaneId }) },

  "GET /api/agents": { scope: "look", query: PageQuery },
  "DELETE /api/agents": { scope: "own" },
  "GET /api/agents/:id": { scope: "look" },
  "GET /api/agents/:id/resume": { scope: "look" },
  "PUT /api/agents/:id/visit": { scope: "answer", json: z.object({ snapshot_id: z.string() }) },
  "GET /api/agents/:id/timeline": { scope: "look", query: PageQuery },
  // Around the message of that id; without an id, the newest.
  "GET /api/agents/:id/steps": {
    scope: "look",
    query: z.object({ around: z.string().nullable().default(null) }),
  },
  "GET /api/timeline": { scope: "look", query: PageQuery },
  "GET /api/agents/:id/messages": { scope: "look", query: MessagesQuery },
  "POST /api/agents/:id/messages": { scope: "type", json: MessageRequest },
  "PUT /api/agents/:id/binding": { scope: "type", json: BindingRequest },
  "DELETE /api/agents/:id/binding": { scope: "type", query: UnbindQuery },
  "DELETE /api/agents/:id/history": { scope: "own" },
  "GET /api/messages": { scope: "look", query: SearchQuery },
  "GET /api/decisions": { scope: "look", query: DecisionsQuery },
  "GET /api/decisions/:id": { scope: "look" },
  "POST /api/decisions/:id/reply": { scope: "answer", json: DecisionReply },

  "GET /api/review": { scope: "look", query: z.object({ counts: z.literal("1").optional() }) },
  "PUT /api/review/all": { scope: "answer", json: ReviewAllRequest },
  "PATCH /api/review/settings": { scope: "own", json: ReviewSettingsPatch },
  "PUT /api/agents/:id/review": { scope: "answer", json: ReviewRequest },

  "GET /api/changes": { scope: "look", query: ChangesQuery },
  "GET /api/changes/file": { scope: "look", query: FileQuery },
  "GET /api/answered": { scope: "look" },
  "POST /api/answered/hide": { scope: "type", json: z.object({ id: z.string().min(1).max(64) }) },
  "POST /api/cases": { scope: "type", json: z.object({ id: PaneRef }) },
  "POST /api/cases/save": { scope: "type", json: CaseSaveRequest },
  "GET /api/usage": { scope: "look" },
  "GET /api/usage/history": { scope: "look", query: UsageHistoryQuery },
  "POST /api/usage/refresh": { scope: "type", json: z.object({ scope: z.string() }) },

  "GET /api/config": { scope: "look" },
  "PATCH /api/config": { scope: "own", json: z.record(z.string(), z.unknown()) },
  "GET /api/hosts": { scope: "look" },
  "POST /api/hosts": { scope: "own", json: z.object({ name: z.string(), ssh: z.string() }) },
  "POST /api/hosts/check": { scope: "own", json: z.object({ ssh: z.string() }) },
  "PATCH /api/hosts/:name": { scope: "own", json: z.object({ watch: z.boolean() }) },
  "DELETE /api/hosts/:name": { scope: "own" },
  "POST /api/hosts/:name/retry": { scope: "own" },

  "GET /api/sessions": { scope: "look" },
  "POST /api/sessions/kill": { scope: "own", json: z.object({ id: z.string() }) },
  "GET /api/grants": { scope: "own" },
  "GET /api/grants/self": { scope: "look" },
  "PATCH /api/grants/:id": {
    scope: "own",
    json: z.object({ name: GrantName, scope: GrantScope }).partial(),
  },
  "DELETE /api/grants/self": { scope: "look" },
  "DELETE /api/grants/:id": {
    scope: "own",
    json: z.object({ also_let_in: z.boolean().default(false) }),
    absent: true,
  },
  "POST /api/pair": { scope: null, json: PairRequest },
  "POST /api/pair/codes": { scope: "own", json: CodeRequest, absent: true },
  "GET /api/phone": { scope: "look", query: z.object({ page: z.string().optional() }) },
  // With `renew`, the token made here is replaced, and whoever signed in with it is signed out.
  "POST /api/phone/token": {
    scope: "own",
    json: z.object({ renew: z.boolean().default(false) }),
    absent: true,
  },
  "DELETE /api/phone/token": { scope: "own" },
  "POST /api/phone/addresses": { scope: "own", json: z.object({ address: z.string().max(300) }) },
  "DELETE /api/phone/addresses": { scope: "own" },
  "DELETE /api/phone/devices/:id": { scope: "own" },

  "POST /api/push/register": { scope: "answer", json: RegisterRequest },
  "POST /api/push/unregister": { scope: "answer", json: z.object({ token: z.string() }) },
  "POST /api/push/web/register": { scope: "answer", json: WebRegisterRequest },
  "POST /api/push/web/unregister": { scope: "answer", json: z.object({ endpoint: z.string() }) },
  "GET /api/push/devices": { scope: "look" },
  "PATCH /api/push/devices/:id": {
    scope: "answer",
    json: z.object({ preferences: ChosenPreferences }),
  },
  "DELETE /api/push/devices/:id": { scope: "answer" },
  "POST /api/push/devices/:id/test": { scope: "answer" },
  "GET /api/push/log": { scope: "look" },
} as const satisfies Readonly<Record<`${Method} /api/${string}`, Endpoint>>;

type Method = "GET" | "POST" | "PUT" | "PATCH" | "DELETE";
export type EndpointName = keyof typeof ENDPOINTS;

export type PathOf<K extends EndpointName> = K extends `${string} ${infer Path}` ? Path : never;

/** Body and query of a request once they are checked. */
export type ParsedRequest<K extends EndpointName> = {
  [
    Part in "json" | "query" as Part extends keyof (typeof ENDPOINTS)[K] ? Part : never
  ]: (typeof ENDPOINTS)[K] extends Record<Part, infer S> ? z.output<S> : never;
};

/** A request as a client writes it: body, query and the parameters of the path. */
export type EndpointRequest<K extends EndpointName> = {
  [
    Part in "json" | "query" as Part extends keyof (typeof ENDPOINTS)[K] ? Part : never
  ]: (typeof ENDPOINTS)[K] extends Record<Part, infer S>
    ? Part extends "query"
      ? QueryInput<z.input<S>>
      : z.input<S>
    : never;
} & ([NamesIn<PathOf<K>>] extends [never]
  ? unknown
  : { path: Readonly<Record<NamesIn<PathOf<K>>, string>> });

/** A query is sent as text: numbers are written out, and null members are left out. */
type QueryInput<T> = { [Name in keyof T]: T[Name] | number | null };

type NamesIn<Path extends string> = Path extends `${string}/:${infer Name}/${infer Rest}`
  ? Name | NamesIn<`/${Rest}`>
  : Path extends `${string}/:${infer Name}`
    ? Name
    : never;

export const ENDPOINT_LIST = Object.entries<Endpoint>(ENDPOINTS).map(([name, endpoint]) => {
  const [method = "", path = ""] = name.split(" ");
  return { ...endpoint, method, path };
});
