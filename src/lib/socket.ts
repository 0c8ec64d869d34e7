export interface Wire {
  /** Deflated where the client has agreed to that in its handshake. */
  send(text: string, isDeflated?: boolean): number;
  /** Bytes in Bun's buffer: neither the client nor the kernel has taken them. */
  getBufferedAmount(): number;
  ping(): number;
  close(code: number, reason: string): void;
}

export interface SocketSession {
  receive(message: string | Uint8Array): void;
  /** The client has answered a ping. */
  answered(): void;
  drained(): void;
  closed(): void;
}

/** Takes over an accepted socket; null when it was closed at once. */
export type StartSocket = (wire: Wire) => SocketSession | null;

/**
 * Refuses by a close code: accepts the socket and closes it at once, because a browser sees a refused
 * upgrade as 1006, whatever its status.
 */
export function closeAtOnce(code: number, reason: string): StartSocket {
  return (wire) => {
    wire.close(code, reason);
    return null;
  };
}
