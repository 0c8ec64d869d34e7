import type { FatesReply, RecordReply } from "../protocol/acts.ts";
import { allows } from "../protocol/scope.ts";
import { ANYBODY, type Handlers, type Slice } from "../slice.ts";
import { PAGE_ROWS } from "./store/act-store.ts";
import type { Ledger } from "./ledger.ts";

export function ledgerSlice(ledger: Ledger): Slice {
  const routes: Handlers = {
    "GET /api/acts": async (c): Promise<FatesReply | RecordReply> => {
      const { keys, ...query } = c.req.valid("query");
      if (keys) return ledger.fatesOf(keys);
      // Changes of access and settings are for the owner alone.
      const withEvents = allows((c.env.grant ?? ANYBODY).scope, "own");
      const rows = await ledger.page({ ...query, withEvents });
      const page = rows.slice(0, PAGE_ROWS);
      return {
        acts: page.flatMap((row) => ("state" in row ? [row] : [])),
        events: page.flatMap((row) => ("state" in row ? [] : [row])),
        before: rows.length > PAGE_ROWS ? (page.at(-1)?.seq ?? null) : null,
      };
    },
  };
  return {
    name: "ledger",
    routes,
    start: () => ledger.open(),
    stop: async () => ledger.close(),
    capabilities: () => ({ act_ledger_v1: { version: 1, incarnation: ledger.incarnation } }),
  };
}
