import { ANYBODY, type RequestFacts } from "../slice.ts";
import { SERVICE } from "../ledger/ledger.ts";
import type { ActBy } from "../protocol/act.ts";
import type { Scope } from "../protocol/scope.ts";

export interface Client {
  name: string;
  scope: Scope;
  /** In the record of what was sent. */
  by: ActBy;
}

/** @param header `SID_HEADER` of the request: any client may send anything in it */
export function clientOf(
  { grant = ANYBODY, peer }: Pick<RequestFacts, "grant" | "peer">,
  header?: string,
): Client {
  const session = header !== undefined && /^[0-9a-f]{8}$/.test(header) ? ` (${header})` : "";
  const by = { grant: grant.id, name: grant.name };
  return { name: `${grant.name}${session} at ${peer}`, scope: grant.scope, by };
}

/** What this service sends by itself. */
export const NOBODY: Client = { name: "nobody", scope: "own", by: SERVICE };
