import type { Scope } from "../../../src/protocol/scope.ts";
import {
  readGrant,
  readGrants,
  readRemoved,
  type SeenGrant,
} from "../../../src/protocol/tolerant-phone.ts";
import type { Query } from "./query.ts";
import { Questions } from "./questions.ts";
import type { Server } from "./server.ts";

/** Who is let in. An owner sees all of them, anybody else itself. */
export class Grants {
  readonly #server: Server;

  constructor(server: Server) {
    this.#server = server;
  }

  get all(): Query<{ readonly grants: readonly SeenGrant[] }> {
    return this.#server.part(Questions).query("GET /api/grants", { read: readGrants });
  }

  get self(): Query<SeenGrant> {
    return this.#server.part(Questions).query("GET /api/grants/self", { read: readGrant });
  }

  async change(id: string, json: { readonly name?: string; readonly scope?: Scope }) {
    const asked = { path: { id }, json, read: readGrant };
    const result = await this.#server.api.call("PATCH /api/grants/:id", asked);
    await this.all.reload();
    return result;
  }

  async remove(id: string, also_let_in: boolean) {
    const asked = { path: { id }, json: { also_let_in }, read: readRemoved };
    const result = await this.#server.api.call("DELETE /api/grants/:id", asked);
    await this.all.reload();
    return result;
  }
}
