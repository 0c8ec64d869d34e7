interface Posted {
  path: string;
  method: string;
  headers: Headers;
  body: Buffer;
}

/** Any push service that speaks plain HTTP: keeps what it is sent and answers as it is told. */
export class PushStandIn {
  readonly received: Posted[] = [];
  /** Answers of the next requests; then 201 again. */
  readonly replies: (() => Response | Promise<Response>)[] = [];
  readonly #server = Bun.serve({
    port: 0,
    hostname: "127.0.0.1",
    fetch: async (request) => {
      const { pathname } = new URL(request.url);
      const body = Buffer.from(await request.arrayBuffer());
      this.received.push({
        path: pathname,
        method: request.method,
        headers: request.headers,
        body,
      });
      return (await this.replies.shift()?.()) ?? new Response(null, { status: 201 });
    },
  });

  get origin(): string {
    return `http://127.0.0.1:${this.#server.port}`;
  }

  async stop(): Promise<void> {
    await this.#server.stop(true);
  }
}
