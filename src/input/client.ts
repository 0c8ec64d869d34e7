/** Who asks for an action. */
export interface Client {
  /** Session id of its pane socket, by the client's own word; null when it gives none. */
  sid: string | null;
  address: string;
}

/** @param header `SID_HEADER` of the request: any client may send anything in it */
export function clientOf(address: string, header: string | undefined): Client {
  const isSid = header !== undefined && /^[0-9a-f]{8}$/.test(header);
  return { sid: isSid ? header : null, address };
}

export const NOBODY: Client = { sid: null, address: "?" };
