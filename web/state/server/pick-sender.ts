import { computed } from "@preact/signals";
import { SHIELD_MS, signatureOf } from "../../model/guard.ts";
import type { Pane } from "../../model/pane.ts";
import type { Answer } from "../../model/answer.ts";
import { Part } from "./part.ts";

/** How long the result is shown before taps answer again. */
const OVER_MS = 2000;

/**
 * Sends picked answers in turn, each as if tapped. A pick whose prompt has changed is dropped and
 * its card says so; nothing is retried.
 */
export class PickSender extends Part {
  /** Picked panes, in the order on the screen. */
  readonly ready = computed(() => {
    const { picks, queue } = this.server;
    return queue.asking.value.filter((paneId) => picks.all.value.has(paneId));
  });
  #lostAt = -Infinity;
  #isStopped = false;
  #over: ReturnType<typeof setTimeout> | undefined;

  /** After each snapshot: drops picks whose prompt has changed. */
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

  /** A tap right after a pick was dropped was meant for more answers than there are now. */
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

  /** The answer under way still ends; the others stay picked. */
  stop(): void {
    this.#isStopped = true;
  }

  async #send(id: string): Promise<Answer | null> {
    const { acts, picks } = this.server;
    const pick = picks.all.peek().get(id);
    if (pick === undefined) return null;
    // It was judged by touch when it was picked; the prompt is compared again now.
    const times = { pressedAt: this.server.nowMs(), steadySince: -Infinity };
    const stands = (latest: Pane) => isSamePrompt(pick.shown, latest);
    const outcome = await acts.answer({ ...pick, ...times, stands });
    // Null: it was not its turn, and it stays picked.
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
 * Whether a prompt is the same: its text, what the server compares, and when it was asked. The same
 * words asked anew are another question.
 */
const isSamePrompt = (seen: Pane, now: Pane): boolean =>
  signatureOf(seen) === signatureOf(now) &&
  seen.prompt_since === now.prompt_since &&
  comparedOf(seen) === comparedOf(now);

/** Without the cursor of a terminal, which moves freely. */
const comparedOf = ({ action_guard, legacy_guard }: Pane): string =>
  JSON.stringify([
    action_guard,
    legacy_guard?.prompt_fingerprint,
    legacy_guard?.options_fingerprint,
  ]);
