import { computed } from "@preact/signals";
import { SHIELD_MS, signatureOf } from "../../model/guard.ts";
import type { Pane } from "../../model/pane.ts";
import type { Answer } from "../../model/answer.ts";
import { Part } from "./part.ts";

/** The last result stands this long before taps answer again. */
const OVER_MS = 2000;

/**
 * Sends picks in turn, each by the act of a tap on it. One whose question has changed falls out and
 * says so on its card; nothing is sent again by itself.
 */
export class PickSender extends Part {
  /** In the order on the screen. */
  readonly ready = computed(() => {
    const { picks, queue } = this.server;
    return queue.asking.value.filter((paneId) => picks.all.value.has(paneId));
  });
  #lostAt = -Infinity;
  #isStopped = false;
  #over: ReturnType<typeof setTimeout> | undefined;

  /** After each snapshot: a pick stands for as long as its prompt is the very one. */
  settle(): void {
    const { answers, panes, picks } = this.server;
    if (picks.isSending.peek()) return;
    for (const [id, { shown }] of picks.all.peek()) {
      const latest = panes.latest(id);
      if (latest !== null && isSamePrompt(shown, latest)) continue;
      this.#lostAt = this.server.nowMs();
      picks.put(id, null);
      if (latest !== null) answers.sayChanged(latest);
    }
  }

  /** A tap that comes right after a pick fell out was meant for more answers than there are now. */
  async send(): Promise<void> {
    const { picks } = this.server;
    const ids = this.ready.peek();
    const isLost = this.server.nowMs() - this.#lostAt < SHIELD_MS;
    if (picks.isSending.peek() || ids.length === 0 || isLost) return;
    clearTimeout(this.#over);
    this.#isStopped = false;
    const outcomes: (Answer | null)[] = [];
    const count = (step: string) => outcomes.filter((one) => one?.step === step).length;
    const say = (isOver: boolean) => {
      const [sent, unclear] = [count("sent"), count("uncertain")];
      picks.sending.value = { sent, unclear, done: outcomes.length, of: ids.length, isOver };
    };
    try {
      for (const id of ids) {
        if (this.#isStopped) break;
        say(false);
        outcomes.push(await this.#send(id));
      }
    } finally {
      say(true);
      this.settle();
      this.#over = setTimeout(() => this.#end(), OVER_MS);
    }
  }

  /** What is on its way ends; the others stay picked. */
  stop(): void {
    this.#isStopped = true;
  }

  async #send(id: string): Promise<Answer | null> {
    const { acts, picks } = this.server;
    const pick = picks.all.peek().get(id);
    if (pick === undefined) return null;
    // No finger is on its card: it was judged when it was picked, and is judged again now.
    const times = { pressedAt: this.server.nowMs(), steadySince: -Infinity };
    const stands = (latest: Pane) => isSamePrompt(pick.shown, latest);
    const outcome = await acts.answer({ ...pick, ...times, stands });
    // Its card says why it was not sent; where nothing is said it is only not its turn.
    if (outcome !== null) picks.put(id, null);
    return outcome;
  }

  #end(): void {
    const { picks } = this.server;
    picks.sending.value = null;
    if (picks.all.peek().size === 0) picks.isWanted.value = false;
  }
}

/**
 * Whether a prompt is the very one that was seen: what a person reads, what the server compares, and
 * since when it is asked. The same words asked anew are another question.
 */
const isSamePrompt = (seen: Pane, now: Pane): boolean =>
  signatureOf(seen) === signatureOf(now) &&
  seen.prompt_since === now.prompt_since &&
  comparedOf(seen) === comparedOf(now);

/** What the server compares; the cursor of a terminal moves freely. */
const comparedOf = ({ action_guard, legacy_guard }: Pane): string =>
  JSON.stringify([
    action_guard,
    legacy_guard?.prompt_fingerprint,
    legacy_guard?.options_fingerprint,
  ]);
