import type { AnsweredState } from "../../../src/protocol/answered.ts";
import type { Part, Server } from "./server.ts";
import { Query } from "./query.ts";
import { promised, type Api } from "../../net/api.ts";

/** Which exact questions were always answered with the same yes. */
export class AlwaysAllowed implements Part {
  readonly query: Query<AnsweredState>;
  readonly #api: Api;

  constructor({ api }: Server) {
    this.#api = api;
    this.query = new Query((signal) =>
      api.call("GET /api/answered", { signal, read: promised<AnsweredState> }),
    );
  }

  /** Whether it is put away for good. */
  async hide(id: string): Promise<boolean> {
    const { ok } = await this.#api.call("POST /api/answered/hide", { json: { id } });
    const shown = this.query.value.peek();
    if (ok && shown !== null)
      this.query.value.value = { questions: shown.questions.filter((one) => one.id !== id) };
    return ok;
  }

  clear(): void {
    this.query.clear();
  }
}
