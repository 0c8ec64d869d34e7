import { readFates } from "../../../src/protocol/tolerant-record.ts";
import type { Api } from "../../net/api.ts";
import type { Fate } from "./outbox.ts";

/** What became of keys, by the record of the server; null where it did not answer. */
export async function fatesOf(api: Api, keys: readonly string[]): Promise<readonly Fate[] | null> {
  const query = { keys: keys.join(",") };
  const result = await api.call("GET /api/acts", { query, read: readFates });
  if (!result.ok) return null;
  const { acts, unseen } = result.value;
  return [
    ...acts.map(({ key, pane_id: paneId, state, reason }) => ({
      ...{ key, paneId, state, reason: reason ?? "" },
    })),
    ...unseen.map((key) => ({ key, paneId: null, state: "unseen" as const, reason: "" })),
  ];
}
