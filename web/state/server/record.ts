import {
  readRecord,
  type SeenAccessEvent,
  type SeenAct,
} from "../../../src/protocol/tolerant-record.ts";
import { entriesOf, type RecordFilter } from "../../model/record.ts";
import type { Sent } from "../../../src/protocol/endpoints.ts";
import type { Part, Server } from "./server.ts";
import { PagedQuery } from "./query.ts";

const REST_MS = 2000;

/** What was done, by whom, and what became of it: page by page, one list for each filter. */
export class ActRecord implements Part {
  readonly #server: Server;
  /** The list that is shown, and what it is narrowed to. */
  #shown: { readonly key: string; readonly list: PagedQuery<SeenAct | SeenAccessEvent> } | null =
    null;

  constructor(server: Server) {
    this.#server = server;
  }

  list(filter: RecordFilter): PagedQuery<SeenAct | SeenAccessEvent> {
    const set = Object.entries(filter).filter(([, value]) => value !== "");
    const key = new URLSearchParams(set).toString();
    if (this.#shown?.key === key) return this.#shown.list;
    const { api } = this.#server;
    const list = new PagedQuery<SeenAct | SeenAccessEvent>({
      ask: async (before, signal) => {
        const query = { ...filter, before } as Sent<"GET /api/acts">["query"]; // As its address gave it.
        const result = await api.call("GET /api/acts", { query, read: readRecord, signal });
        if (!result.ok) return result;
        const next = result.value.before;
        const page = { items: entriesOf(result.value), next: next === null ? null : String(next) };
        return { ok: true, value: page };
      },
      idOf: ({ seq }) => String(seq),
      restMs: REST_MS,
    });
    this.#shown = { key, list };
    return list;
  }

  clear(): void {
    this.#shown?.list.clear();
    this.#shown = null;
  }
}
