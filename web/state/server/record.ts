import type { EndpointRequest } from "../../../src/protocol/endpoints.ts";
import { SCOPES, type Scope } from "../../../src/protocol/scope.ts";
import {
  readRecord,
  type SeenAccessEvent,
  type SeenAct,
} from "../../../src/protocol/tolerant-later.ts";
import { PagedQuery } from "./query.ts";
import { Part } from "./part.ts";

const REST_MS = 2000;

export type Entry = SeenAct | SeenAccessEvent;

/** The record of acts, page by page; one list per filter. */
export class ActRecord extends Part {
  #shown: { readonly key: string; readonly list: PagedQuery<Entry> } | null = null;

  list(filter: RecordFilter): PagedQuery<Entry> {
    const set = Object.entries(filter).filter(([, value]) => value !== "");
    const key = new URLSearchParams(set).toString();
    if (this.#shown?.key === key) return this.#shown.list;
    const { api } = this.server;
    const list = new PagedQuery<Entry>({
      ask: async (before, signal) => {
        const query = { ...filter, before } as EndpointRequest<"GET /api/acts">["query"]; // As its address gave it.
        const result = await api.call("GET /api/acts", { query, read: readRecord, signal });
        if (!result.ok) return result;
        const { acts, events, before: next } = result.value;
        const items = [...acts, ...events].sort((a, b) => b.seq - a.seq);
        const older = next === null ? null : String(next);
        return { ok: true, value: { items, older, newer: null } };
      },
      idOf: ({ seq }) => String(seq),
      restMs: REST_MS,
    });
    this.#shown = { key, list };
    return list;
  }
}

/** Acts of one broadcast are one line. */
export type RecordLine = readonly [Entry, ...Entry[]];

export const isAct = (entry: Entry): entry is SeenAct => "pane_id" in entry;

/** The acts of one broadcast begin within this time. */
const BROADCAST_SECONDS = 30;

export function recordLines(entries: readonly Entry[]): readonly RecordLine[] {
  const lines: [Entry, ...Entry[]][] = [];
  for (const entry of entries) {
    const last = lines.at(-1);
    if (last !== undefined && isSameBroadcast(last[0], entry)) last.push(entry);
    else lines.push([entry]);
  }
  return lines;
}

const isSameBroadcast = (one: Entry, other: Entry): boolean =>
  one.kind === "broadcast" &&
  other.kind === "broadcast" &&
  one.by.grant === other.by.grant &&
  one.label === other.label &&
  Math.abs(one.at - other.at) < BROADCAST_SECONDS;

/** The record writes a grant with its scope as `Wall display (look)`. */
export function grantIn(what: string): { readonly name: string; readonly scope: Scope | null } {
  const [, name, word] = /^(.*) \((\w+)\)$/s.exec(what) ?? [];
  const scope = SCOPES.find((one) => one === word);
  return name === undefined || scope === undefined ? { name: what, scope: null } : { name, scope };
}

/** An empty member does not filter. */
export interface RecordFilter {
  readonly pane: string;
  readonly by: string;
  readonly kind: string;
}

export function parseRecordFilter(query: string): RecordFilter {
  const asked = new URLSearchParams(query);
  const of = (name: string) => asked.get(name) ?? "";
  return { pane: of("pane"), by: of("by"), kind: of("kind") };
}

export function recordHash(filter: Partial<RecordFilter> = {}): string {
  const set = Object.entries(filter).filter(([, value]) => value !== "");
  return set.length === 0 ? "#/record" : `#/record?${new URLSearchParams(set)}`;
}
