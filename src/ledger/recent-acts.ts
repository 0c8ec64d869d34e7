import type { Clock } from "../lib/clock.ts";
import type { PaneState } from "../protocol/pane.ts";
import type { Fate, KeptAct } from "./store/act-store.ts";

const SHOWN_SECONDS = 60;
/** What is not confirmed by then stays `sent`. */
const CONFIRMED_WITHIN_SECONDS = 5;

interface Recent {
  act: KeptAct;
  /** The pane when it left; null where nobody saw it. */
  before: PaneState | null;
  /** Monotonic seconds. */
  at: number;
}

export class RecentActs {
  readonly #clock: Pick<Clock, "monotonic">;
  readonly #newest = new Map<string, Recent>();

  constructor(clock: Pick<Clock, "monotonic">) {
    this.#clock = clock;
  }

  begun(act: KeptAct, before: PaneState | null): void {
    if (act.identity === null) return;
    this.#newest.set(act.identity, { act, before, at: this.#clock.monotonic() });
  }

  ended({ identity, seq }: KeptAct, fate: Fate): void {
    const recent = identity === null ? undefined : this.#newest.get(identity);
    if (identity === null || recent?.act.seq !== seq) return;
    const at = fate.state === "confirmed" ? recent.at : this.#clock.monotonic();
    this.#newest.set(identity, { ...recent, act: { ...recent.act, ...fate }, at });
  }

  of(identity: string): KeptAct | null {
    const recent = this.#newest.get(identity);
    return recent && this.#ageOf(recent) < SHOWN_SECONDS ? recent.act : null;
  }

  /** After each pass: acts that have arrived and that their panes show to be taken. */
  confirmedBy(sights: readonly { identity: string; state: PaneState }[]): KeptAct[] {
    if (this.#newest.size === 0) return [];
    // Of a pane that is gone nobody asks any more.
    for (const [identity, recent] of this.#newest)
      if (this.#ageOf(recent) >= SHOWN_SECONDS) this.#newest.delete(identity);
    return sights.flatMap(({ identity, state }) => {
      const recent = this.#newest.get(identity);
      if (recent?.act.state !== "sent" || this.#ageOf(recent) > CONFIRMED_WITHIN_SECONDS) return [];
      return isConfirmed({ ...recent.act, before: recent.before }, state) ? [recent.act] : [];
    });
  }

  clear(): void {
    this.#newest.clear();
  }

  #ageOf({ at }: Recent): number {
    return this.#clock.monotonic() - at;
  }
}

/** Whether a pane shows that what arrived was taken: by what has been drawn since. */
export function isConfirmed(
  { kind, at, before }: Pick<KeptAct, "kind" | "at"> & Pick<Recent, "before">,
  now: PaneState,
): boolean {
  if (before === null || now.stale) return false;
  if (kind === "stop") return now.status !== "working";
  if (now.updated < at) return false;
  const asked = promptOf(before);
  if (asked !== null)
    return promptOf(now) !== asked || (now.prompt_since !== null && now.prompt_since > at);
  const isText = kind === "text" || kind === "broadcast";
  return isText && before.status !== "working" && now.status === "working";
}

/** Tells prompts apart; null: none is shown. */
function promptOf({ status, legacy_guard, action_guard, question }: PaneState): string | null {
  if (status !== "needs_input") return null;
  return legacy_guard?.prompt_fingerprint ?? action_guard?.prompt_fingerprint ?? question;
}
