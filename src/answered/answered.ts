import { AppError, persistError } from "../errors.ts";
import type { Clock } from "../lib/clock.ts";
import type { JsonFile } from "../lib/json-file.ts";
import type { Log } from "../lib/log.ts";
import { SavedValue } from "../lib/saved-value.ts";
import type { AnsweredState } from "../protocol/answered.ts";
import type { Reading } from "../terminal/reading.ts";
import { alwaysAllowed, Kept, NOTHING_KEPT, withAnswer, withHidden } from "./kept.ts";
import { answerOf, commandOf } from "./question.ts";

/** Below the state directory. */
export const ANSWERED_FILE = "panewatch-answered.json";

const PERMISSION = "agent_a.permission";

export interface AnsweredDeps {
  readonly file: Pick<JsonFile, "read" | "write" | "moveAside">;
  /** Whether the pane is one of this machine: a setting of another one is out of reach here. */
  readonly isHere: (paneId: string) => boolean;
  readonly clock: Clock;
  readonly log: Pick<Log, "error">;
}

/** Which exact questions were always answered alike from here. It answers nothing itself. */
export class Answered {
  readonly #deps: AnsweredDeps;
  #saved: SavedValue<Kept> | null = null;

  constructor(deps: AnsweredDeps) {
    this.#deps = deps;
  }

  /** @throws UnreadableError: then nothing is counted */
  async open(): Promise<void> {
    const { file } = this.#deps;
    const content = await file.read();
    const known = Kept.safeParse(content);
    if (content !== null && !known.success) await file.moveAside("not a list of questions");
    const kept = known.success ? known.data : NOTHING_KEPT;
    this.#saved = new SavedValue(kept, (value) => file.write(value));
  }

  async close(): Promise<void> {
    await this.#saved?.saved();
  }

  /** An option was taken under its guard; `first` is the screen that it was chosen on. */
  note({ pane, state, prompt }: Reading, label: string): void {
    if (prompt?.parser !== PERMISSION || !this.#deps.isHere(pane.id)) return;
    const command = commandOf(prompt.evidence, pane.width);
    if (command === null) return;
    const asked = { folder: state.cwd, command };
    const given = { answer: answerOf(label), at: this.#deps.clock.now(), dayOf };
    this.#saved
      ?.change((kept) => withAnswer(kept, asked, given))
      // The answer has been given all the same.
      .catch((error: unknown) => this.#deps.log.error("cannot count an answer", error));
  }

  get state(): AnsweredState {
    const kept = this.#saved?.current ?? NOTHING_KEPT;
    return { questions: alwaysAllowed(kept, this.#deps.clock.now()) };
  }

  /** @throws AppError not_found, unavailable, persist_failed, storage */
  async hide(id: string): Promise<void> {
    if (this.#saved === null) throw new AppError("unavailable", "answers cannot be read");
    const hidden = (kept: Kept): Kept => {
      const without = withHidden(kept, id);
      if (without === null) throw new AppError("not_found", `unknown question: ${id}`);
      return without;
    };
    await this.#saved.change(hidden).catch((error: unknown) => {
      throw error instanceof AppError ? error : persistError("it cannot be hidden", error);
    });
  }
}

/** Days of the machine's calendar, counted. */
const dayOf = (at: number): number => {
  const date = new Date(at * 1000);
  return Math.floor((at - date.getTimezoneOffset() * 60) / 86_400);
};
