import type { Server } from "./server.ts";

/** What belongs to one server, which it is handed whole, and goes with it. */
export abstract class Part {
  readonly server: Server;

  constructor(server: Server) {
    this.server = server;
  }
}
