import { signal } from "@preact/signals";
import { blankRuns } from "../../../src/protocol/blank.ts";
import type { CaseSaveRequest } from "../../../src/protocol/cases.ts";
import {
  readCaseDraft,
  readCaseSaved,
  type SeenCaseDraft,
} from "../../../src/protocol/tolerant-cases.ts";
import type { Api, Failure } from "../../net/api.ts";
import { Query } from "./query.ts";

export type SaveOutcome =
  | { readonly step: "looking" }
  | { readonly step: "saving" }
  | { readonly step: "saved"; readonly name: string }
  | { readonly step: "failed"; readonly failure: Failure };

export interface WrongDeps {
  readonly api: Api;
  readonly paneId: string;
}

/** A screen that was read wrong, from the first look at it until it is saved. */
export class WrongScreen {
  readonly draft: Query<SeenCaseDraft>;
  /** What is blanked out wherever it stands, one word or path a line. */
  readonly blanked = signal("");
  readonly status = signal<CaseSaveRequest["status"]>(null);
  readonly note = signal("");
  readonly outcome = signal<SaveOutcome>({ step: "looking" });
  readonly #deps: WrongDeps;

  constructor(deps: WrongDeps) {
    this.#deps = deps;
    const body = { id: deps.paneId };
    this.draft = new Query((signal) =>
      deps.api.call("POST /api/cases", { json: body, read: readCaseDraft, signal }),
    );
  }

  /** The screen as it is now; what is blanked out stays so. */
  async look(): Promise<void> {
    this.outcome.value = { step: "looking" };
    await this.draft.reload();
  }

  /** Saves the screen that was looked at, not the one of now. */
  async save(): Promise<void> {
    const draft = this.draft.value.peek()?.draft;
    const { step } = this.outcome.peek();
    if (draft === undefined || step === "saving" || step === "saved") return;
    this.outcome.value = { step: "saving" };
    const body: CaseSaveRequest = {
      draft,
      blank: wordsOf(this.blanked.peek()),
      status: this.status.peek(),
      note: this.note.peek().trim(),
    };
    const { api } = this.#deps;
    const result = await api.call("POST /api/cases/save", { json: body, read: readCaseSaved });
    this.outcome.value = result.ok
      ? { step: "saved", name: result.value.name }
      : { step: "failed", failure: result.failure };
  }
}

/** A text as the server will save it: of what is blanked out only its length and its blanks stay. */
export const blankedText = (text: string, words: readonly string[]): string =>
  blankRuns(text, words)
    .map((run) => (run.isBlanked ? run.text.replace(/\S/g, "x") : run.text))
    .join("");

/** One word or path a line. */
export const wordsOf = (written: string): string[] => [
  ...new Set(
    written
      .split("\n")
      .map((line) => line.trim())
      .filter((line) => line !== ""),
  ),
];
