import { signal } from "@preact/signals";
import { type CaseSaveRequest } from "../../../src/protocol/cases.ts";
import {
  readCaseDraft,
  readCaseSaved,
  type SeenCaseDraft,
} from "../../../src/protocol/tolerant-cases.ts";
import { type Api, type Failure } from "../../net/api.ts";
import { Query } from "./query.ts";

/** What the server takes in one request; `CaseSaveRequest` says so. */
export const MAX_BLANKED_WORDS = 200;
export const MAX_BLANKED_CHARS = 500;
export const MAX_NOTE_CHARS = 2000;

export type SaveOutcome =
  | { readonly step: "looking" }
  | { readonly step: "saving" }
  | { readonly step: "saved"; readonly name: string }
  | { readonly step: "failed"; readonly failure: Failure };

export interface WrongDeps {
  readonly api: Api;
  readonly paneId: string;
  readonly onUnauthorized: () => void;
}

/** A screen that was read wrong, from the first look at it until it is saved. */
export class WrongScreen {
  readonly draft: Query<SeenCaseDraft>;
  /** Words that are blanked out wherever they stand, in the order in which they were marked. */
  readonly blanked = signal<readonly string[]>([]);
  readonly status = signal<CaseSaveRequest["status"]>(null);
  readonly note = signal("");
  readonly outcome = signal<SaveOutcome>({ step: "looking" });
  readonly #deps: WrongDeps;

  constructor(deps: WrongDeps) {
    this.#deps = deps;
    const body = { id: deps.paneId };
    this.draft = new Query(
      (signal) => deps.api.ask("POST", "/api/cases", readCaseDraft, { body, signal }),
      deps.onUnauthorized,
    );
  }

  /** The screen as it is now; what was marked stays marked. */
  async look(): Promise<void> {
    this.outcome.value = { step: "looking" };
    await this.draft.reload();
  }

  mark(word: string): void {
    const blanked = this.blanked.peek();
    if (word === "" || word.length > MAX_BLANKED_CHARS || blanked.includes(word)) return;
    if (blanked.length < MAX_BLANKED_WORDS) this.blanked.value = [...blanked, word];
  }

  unmark(word: string): void {
    this.blanked.value = this.blanked.peek().filter((one) => one !== word);
  }

  /** Saves the screen that was looked at, not the one of now. */
  async save(): Promise<void> {
    const draft = this.draft.value.peek()?.draft;
    const { step } = this.outcome.peek();
    if (draft === undefined || step === "saving" || step === "saved") return;
    this.outcome.value = { step: "saving" };
    const body: CaseSaveRequest = {
      draft,
      blank: [...this.blanked.peek()],
      status: this.status.peek(),
      note: this.note.peek().trim(),
    };
    const { api, onUnauthorized } = this.#deps;
    const result = await api.ask("POST", "/api/cases/save", readCaseSaved, { body });
    this.outcome.value = result.ok
      ? { step: "saved", name: result.value.name }
      : { step: "failed", failure: result.failure };
    if (!result.ok && result.failure.kind === "unauthorized") onUnauthorized();
  }
}
