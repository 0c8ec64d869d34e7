import { signal } from "@preact/signals";
import { readSaid, type SeenMessageSearch } from "../../../../src/protocol/tolerant-agents.ts";
import type { Result } from "../../../net/api.ts";
import { type Page, PagedQuery } from "../query.ts";
import type { Server } from "../server.ts";

export interface Said {
  readonly find: SeenMessageSearch["finds"][number];
  readonly agent: SeenMessageSearch["agents"][number];
}

/** What a search of all that was said is narrowed to; null is anything. */
export interface SaidQuery {
  readonly q: string;
  readonly role: "user" | "assistant" | null;
  /** Epoch seconds. */
  readonly after: number | null;
  /** Of one page. */
  readonly limit: number;
}

/** The newest first. */
export class SaidSearch extends PagedQuery<Said> {
  /** Epoch seconds of the oldest message that is kept; null where none is, or nothing has answered. */
  readonly retainedFrom = signal<number | null>(null);

  constructor({ api }: Server, asked: SaidQuery) {
    const ask = async (cursor: string | null, abort: AbortSignal): Promise<Result<Page<Said>>> => {
      const result = await api.call("GET /api/messages", {
        ...{ query: { ...asked, cursor }, read: readSaid, signal: abort },
      });
      if (!result.ok) return result;
      const { finds, agents, next_cursor, retained_from } = result.value;
      this.retainedFrom.value = retained_from;
      // A long search answers in parts, and a part without a find says nothing to a person.
      if (finds.length === 0 && next_cursor !== null && !abort.aborted)
        return ask(next_cursor, abort);
      const byId = new Map(agents.map((agent) => [agent.id, agent]));
      const items = finds.flatMap((find) => {
        const agent = byId.get(find.agent_id);
        return agent === undefined ? [] : [{ find, agent }];
      });
      return { ok: true, value: { items, next: next_cursor } };
    };
    super({ ask, idOf: ({ find }) => find.id });
  }
}
