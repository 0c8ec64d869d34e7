import { readFates } from "../../../src/protocol/tolerant-record.ts";
import type { Api } from "../../net/api.ts";

/** What became of a key at one pane; `unseen`: it never arrived, at any. */
export interface Fate {
  readonly key: string;
  readonly paneId: string | null;
  readonly state: "sending" | "sent" | "confirmed" | "refused" | "unknown" | "unseen";
  readonly reason: string;
}

/** By the record of the server; null where it did not answer. */
export async function fatesOf(api: Api, keys: readonly string[]): Promise<readonly Fate[] | null> {
  const query = { keys: keys.join(",") };
  const result = await api.call("GET /api/acts", { query, read: readFates });
  if (!result.ok) return null;
  const { acts, unseen } = result.value;
  return [
    ...acts.map(({ key, pane_id: paneId, state, reason }): Fate => ({
      ...{ key, paneId, state, reason: reason ?? "" },
    })),
    ...unseen.map((key): Fate => ({ key, paneId: null, state: "unseen", reason: "" })),
  ];
}
