/** Who asks for an action. */
export interface Client {
  /** Of its pane socket, as the client itself says; null when it does not. */
  sid: string | null;
  address: string;
}

/** Header by which a client names the session of its pane socket. */
export const SID_HEADER = "x-panewatch-sid";

/** @param header of the request, which anybody may have written */
export function clientOf(address: string, header: string | undefined): Client {
  const isSid = header !== undefined && /^[0-9a-f]{8}$/.test(header);
  return { sid: isSid ? header : null, address };
}

export const NOBODY: Client = { sid: null, address: "?" };
