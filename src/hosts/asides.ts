import { Mutex } from "../lib/lock.ts";
import { RunError, type RunResult } from "../lib/run.ts";
import { Answers } from "./answers.ts";

export interface LinkLimits {
  timeoutMs: number;
  maxBytes: number;
  signal?: AbortSignal;
}

/** Questions that are answered aside, one at a time: one that hangs fails alone. */
export class Asides {
  readonly #answers: Answers;
  readonly #write: (id: number, text: string) => void;
  readonly #lock = new Mutex();
  readonly #unanswered = new Map<number, PromiseWithResolvers<RunResult>>();
  #lastId = 0;

  constructor(mark: string, write: (id: number, text: string) => void) {
    this.#answers = new Answers(mark, { isReady: true });
    this.#write = write;
  }

  /** @throws RunError */
  ask(text: string, { timeoutMs, maxBytes, signal }: LinkLimits): Promise<RunResult> {
    const id = ++this.#lastId;
    const answer = Promise.withResolvers<RunResult>();
    this.#unanswered.set(id, answer);
    const fail = (kind: "timeout" | "aborted", why: string) => () =>
      answer.reject(new RunError(kind, why));
    const timer = setTimeout(fail("timeout", `no answer within ${timeoutMs} ms`), timeoutMs);
    const onAbort = fail("aborted", "stopped");
    signal?.addEventListener("abort", onAbort, { once: true });
    const settle = () => {
      clearTimeout(timer);
      signal?.removeEventListener("abort", onAbort);
      this.#unanswered.delete(id);
    };
    answer.promise.then(settle, settle);
    void this.#lock.run(async () => {
      if (!this.#unanswered.has(id)) return;
      this.#write(id, text);
      await answer.promise.catch(() => undefined);
    });
    return answer.promise.then((result) => {
      if (result.stdout.length <= maxBytes) return result;
      throw new RunError("too_large", `more than ${maxBytes} bytes of output`);
    });
  }

  /** False: nobody can tell any more where an answer begins. */
  hear(bytes: Uint8Array): boolean {
    for (const said of this.#answers.push(bytes)) {
      if (said.is === "nonsense") return false;
      // One that comes too late has been given up.
      if (said.is === "answer") this.#unanswered.get(said.id)?.resolve(said.result);
    }
    return true;
  }

  /** What was said since the last answer, by whom the shell did not start. */
  get messages(): string {
    return this.#answers.rest;
  }

  end(): void {
    for (const { reject } of this.#unanswered.values())
      reject(new RunError("aborted", "the link ended before the answer was there"));
  }
}
