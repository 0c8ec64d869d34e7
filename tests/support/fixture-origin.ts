import { type HttpServer, startServer } from "../../src/http/server.ts";
import { createLog } from "../../src/lib/log.ts";

type Answering = Pick<Parameters<typeof startServer>[0], "fetch" | "socketFor">;

/** An address that answers for one server after another. */
export class FixtureOrigin {
  server: Answering | null = null;
  readonly #http: HttpServer = startServer({
    ...{ host: "127.0.0.1", port: 0, idleSeconds: 255, log: createLog(() => {}) },
    fetch: (request, facts) =>
      this.server?.fetch(request, facts) ?? new Response("nobody is here", { status: 404 }),
    socketFor: (request, facts) => this.server?.socketFor(request, facts) ?? null,
  });

  get url(): string {
    return `http://127.0.0.1:${this.#http.port}/`;
  }

  close(): Promise<void> {
    return this.#http.stop();
  }
}
