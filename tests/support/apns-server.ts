import {
  constants,
  createSecureServer,
  createServer,
  type Http2Server,
  type ServerHttp2Session,
  type ServerHttp2Stream,
} from "node:http2";
import type { OwnAuthority } from "./push-keys.ts";

interface Received {
  path: string;
  headers: Readonly<Record<string, string>>;
  body: Record<string, unknown>;
  /** Which connection it came on, from 1. */
  connection: number;
  at: number;
}

/** How the next requests are answered, in their order; then 200 again. */
export type ApnsReply =
  | { status: number; reason?: string; headers?: Record<string, string> }
  | "hang"
  /** The stream is refused before anything was done. */
  | "refuse"
  /** The connection is cut. */
  | "drop"
  /** It is answered, and the connection is to be used no more. */
  | "goaway";

/** The platform's push service as it is documented, on this machine. */
export class ApnsServer {
  readonly received: Received[] = [];
  readonly replies: ApnsReply[] = [];
  /** For every request that has no reply of its own. */
  reply: ApnsReply = { status: 200 };
  connections = 0;
  readonly #server: Http2Server;
  readonly #sessions = new Set<ServerHttp2Session>();
  #url = "";

  private constructor(server: Http2Server) {
    this.#server = server;
    server.on("session", (session) => {
      const connection = ++this.connections;
      this.#sessions.add(session);
      session.on("error", () => undefined);
      session.on("close", () => this.#sessions.delete(session));
      session.on("stream", (stream, headers) => {
        stream.on("error", () => undefined);
        this.#read(stream, headers, connection);
      });
    });
    server.on("sessionError", () => undefined);
  }

  /** Without an authority in cleartext. */
  static async start(authority?: OwnAuthority): Promise<ApnsServer> {
    const secure = authority && { key: authority.key, cert: authority.certificate };
    const raw = secure ? createSecureServer(secure) : createServer();
    const server = new ApnsServer(raw);
    const { promise, resolve } = Promise.withResolvers<void>();
    raw.listen(0, "127.0.0.1", resolve);
    await promise;
    const address = raw.address();
    const port = typeof address === "object" && address ? address.port : 0;
    server.#url = secure ? `https://localhost:${port}` : `http://127.0.0.1:${port}`;
    return server;
  }

  get url(): string {
    return this.#url;
  }

  async stop(): Promise<void> {
    for (const session of this.#sessions) session.destroy();
    const { promise, resolve } = Promise.withResolvers<void>();
    this.#server.close(() => resolve());
    await promise;
  }

  #read(stream: ServerHttp2Stream, headers: Record<string, unknown>, connection: number): void {
    const chunks: Buffer[] = [];
    stream.on("data", (chunk: Buffer) => chunks.push(chunk));
    stream.on("end", () => {
      const text = Buffer.concat(chunks).toString();
      // The connection was cut inside the body.
      if (!text.endsWith("}")) return;
      const plain = Object.fromEntries(
        Object.entries(headers).map(([name, value]) => [name, String(value)]),
      );
      this.received.push({
        path: plain[":path"] ?? "",
        headers: plain,
        body: JSON.parse(text),
        connection,
        at: performance.now(),
      });
      this.#answer(stream, this.replies.shift() ?? this.reply);
    });
  }

  #answer(stream: ServerHttp2Stream, reply: ApnsReply): void {
    if (reply === "hang") return;
    if (reply === "refuse") return stream.close(constants.NGHTTP2_REFUSED_STREAM);
    if (reply === "drop") return stream.session?.destroy();
    // First, so that whoever has the answer has been told.
    if (reply === "goaway") stream.session?.goaway(constants.NGHTTP2_NO_ERROR, stream.id ?? 0);
    const { status, reason, headers = {} } = reply === "goaway" ? { status: 200 } : reply;
    stream.respond({ ":status": status, "apns-id": crypto.randomUUID(), ...headers });
    stream.end(reason === undefined ? "" : JSON.stringify({ reason }));
  }
}
