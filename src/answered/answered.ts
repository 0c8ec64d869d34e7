import { AppError } from "../errors.ts";
import type { Clock } from "../lib/clock.ts";
import type { Log } from "../lib/log.ts";
import { type JsonStore, StoredJson } from "../lib/stored-json.ts";
import type { AnsweredState } from "../protocol/answered.ts";
import type { FreshRead } from "../terminal/reading.ts";
import {
  alwaysAllowed,
  answerOf,
  askedCommand,
  KeptAnswers,
  NO_ANSWERS,
  withAnswer,
  withHidden,
} from "./kept.ts";

/** Below the state directory. */
export const ANSWERED_FILE = "panewatch-answered.json";

const PERMISSION = "agent_a.permission";

interface AnsweredDeps {
  readonly file: JsonStore;
  /** Whether the pane is one of this machine: a setting of another one is out of reach here. */
  readonly isHere: (paneId: string) => boolean;
  readonly clock: Clock;
  readonly log: Pick<Log, "error">;
}

/** Which exact questions were always answered alike from here. It answers nothing itself. */
export class Answered {
  readonly #deps: AnsweredDeps;
  readonly #stored: StoredJson<KeptAnswers>;

  constructor(deps: AnsweredDeps) {
    this.#deps = deps;
    const { file } = deps;
    this.#stored = new StoredJson({
      file,
      schema: KeptAnswers,
      empty: NO_ANSWERS,
      name: "answers",
    });
  }

  /** @throws UnreadableError: then nothing is counted */
  open(): Promise<void> {
    return this.#stored.open();
  }

  close(): Promise<void> {
    return this.#stored.saved();
  }

  /** An option was taken under its guard; `first` is the screen that it was chosen on. */
  note({ pane, state, prompt }: FreshRead, label: string): void {
    if (prompt?.parser !== PERMISSION || !this.#deps.isHere(pane.id)) return;
    const command = askedCommand(prompt.evidence, pane.width);
    if (command === null) return;
    const asked = { folder: state.cwd, command };
    const given = { answer: answerOf(label), at: this.#deps.clock.now(), dayOf };
    this.#stored
      .change((kept) => withAnswer(kept, asked, given))
      // The answer has been given all the same.
      .catch((error: unknown) => this.#deps.log.error("cannot count an answer", error));
  }

  get state(): AnsweredState {
    return { questions: alwaysAllowed(this.#stored.current, this.#deps.clock.now()) };
  }

  /** @throws AppError not_found, unavailable, persist_failed, storage */
  hide(id: string): Promise<void> {
    return this.#stored.change((kept) => {
      const without = withHidden(kept, id);
      if (without === null) throw new AppError("not_found", `unknown question: ${id}`);
      return without;
    });
  }
}

const dayOf = (at: number): number => {
  const date = new Date(at * 1000);
  return Math.floor((at - date.getTimezoneOffset() * 60) / 86_400);
};
