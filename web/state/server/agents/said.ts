import { signal } from "@preact/signals";
import { readSaid, type SeenMessageSearch } from "../../../../src/protocol/tolerant-agents.ts";
import { PagedQuery, pageOf } from "../query.ts";
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
    super({
      idOf: ({ find }) => find.id,
      ask: async (cursor, abort) => {
        const query = { ...asked, cursor };
        const result = await api.call("GET /api/messages", {
          query,
          read: readSaid,
          signal: abort,
        });
        if (result.ok) this.retainedFrom.value = result.value.retained_from;
        return pageOf(result, ({ finds, agents }) => {
          const byId = new Map(agents.map((agent) => [agent.id, agent]));
          return finds.flatMap((find) => {
            const agent = byId.get(find.agent_id);
            return agent === undefined ? [] : [{ find, agent }];
          });
        });
      },
    });
  }
}
