/** Who asks for an action. */
export interface Client {
  /** Of its pane socket, as the client itself says; null when it does not. */
  sid: string | null;
  address: string;
}

/** @param header `SID_HEADER` of the request, which anybody may have written */
export function clientOf(address: string, header: string | undefined): Client {
  const isSid = header !== undefined && /^[0-9a-f]{8}$/.test(header);
  return { sid: isSid ? header : null, address };
}

export const NOBODY: Client = { sid: null, address: "?" };
