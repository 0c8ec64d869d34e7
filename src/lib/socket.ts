/** What Bun gives for one accepted socket; the part that we use. */
export interface Wire {
  /** Deflated where the client has agreed to that in its handshake. */
  send(text: string, isDeflated?: boolean): number;
  /** Bytes that the client has not taken yet and the kernel neither. */
  getBufferedAmount(): number;
  ping(): number;
  close(code: number, reason: string): void;
}

/** One open socket, from `start` to `closed`. */
export interface SocketSession {
  receive(message: string | Uint8Array): void;
  /** The client has answered a ping. */
  answered(): void;
  /** The client has taken bytes that had waited. */
  drained(): void;
  closed(): void;
}

/** Takes over an accepted socket; null when it was closed at once. */
export type StartSocket = (wire: Wire) => SocketSession | null;

/**
 * A refusal in the words of WebSocket: accepted and closed at once, because a refused upgrade
 * reaches a browser as 1006, whatever its status says.
 */
export function closeAtOnce(code: number, reason: string): StartSocket {
  return (wire) => {
    wire.close(code, reason);
    return null;
  };
}
