import type { Server } from "./server.ts";

/** State of one server, which ends with it. */
export abstract class Part {
  readonly server: Server;

  constructor(server: Server) {
    this.server = server;
  }
}
