import type { AnsweredState } from "../../../src/protocol/answered.ts";
import { LaterApi } from "../../net/later-api.ts";
import type { Part, PartDeps } from "./part.ts";
import { Query } from "./query.ts";

/** Which exact questions were always answered with the same yes. */
export class AlwaysAllowed implements Part {
  readonly query: Query<AnsweredState>;
  readonly #api: LaterApi;

  constructor({ api }: Pick<PartDeps, "api">) {
    this.#api = new LaterApi(api);
    this.query = new Query((signal) => this.#api.answered(signal));
  }

  /** Whether it is put away for good. */
  async hide(id: string): Promise<boolean> {
    const { ok } = await this.#api.hideAnswered(id);
    const shown = this.query.value.peek();
    if (ok && shown !== null)
      this.query.value.value = { questions: shown.questions.filter((one) => one.id !== id) };
    return ok;
  }

  clear(): void {
    this.query.clear();
  }
}
