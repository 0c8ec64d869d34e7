import type { GrantRemoved } from "../../../src/protocol/grants.ts";
import type { Scope } from "../../../src/protocol/scope.ts";
import {
  readGrant,
  readGrants,
  readRemoved,
  type SeenGrant,
} from "../../../src/protocol/tolerant-phone.ts";
import type { Api, Result } from "../../net/api.ts";
import type { Part, Server } from "./server.ts";
import { Query } from "./query.ts";

/** Who is let in. An owner sees all of them, anybody else itself. */
export class Grants implements Part {
  readonly all: Query<{ readonly grants: readonly SeenGrant[] }>;
  readonly self: Query<SeenGrant>;
  readonly #api: Api;

  constructor({ api }: Server) {
    this.#api = api;
    this.all = new Query((signal) => api.call("GET /api/grants", { read: readGrants, signal }));
    this.self = new Query((signal) =>
      api.call("GET /api/grants/self", { read: readGrant, signal }),
    );
  }

  async change(
    id: string,
    change: { readonly name?: string; readonly scope?: Scope },
  ): Promise<Result<SeenGrant>> {
    const result = await this.#api.call("PATCH /api/grants/:id", {
      ...{ path: { id }, json: change, read: readGrant },
    });
    await this.all.reload();
    return result;
  }

  async remove(id: string, alsoLetIn: boolean): Promise<Result<GrantRemoved>> {
    const body = { also_let_in: alsoLetIn };
    const result = await this.#api.call("DELETE /api/grants/:id", {
      ...{ path: { id }, json: body, read: readRemoved },
    });
    await this.all.reload();
    return result;
  }

  clear(): void {
    this.all.clear();
    this.self.clear();
  }
}
