import type { Clock } from "../lib/clock.ts";
import type { Log } from "../lib/log.ts";
import type { StoredJson } from "../lib/stored-json.ts";
import type { FreshRead } from "../terminal/reading.ts";
import {
  type Held,
  type KeptLists,
  type KeptList,
  type KeptMessage,
  listWith,
  standsThere,
  unknownMessage,
  whyHeld,
  whyNotFree,
  withLost,
  withOutcome,
} from "./message-lists.ts";
import { refusal } from "./refused.ts";
import type { JobFate, Job, JobKind, JobSight } from "./unattended.ts";

const FREE_SECONDS = 2;
/** A pane that shows another program, or is not listed, for less is changing. */
const GONE_SECONDS = 5;
/** One that no pass of this run has listed: the multiplexer may come up after the service. */
const NEVER_SEEN_SECONDS = 60;
const READ_AGAIN_SECONDS = 30;

export interface WaitingMessagesDeps {
  stored: StoredJson<KeptLists>;
  /** A pane of this machine: of others nobody knows why they are not listed. */
  isLocalPane(id: string): boolean;
  /** What is published of a pane may differ now. */
  changed(): void;
  /** It was typed into this pane: its chat tells it under the same name. */
  sent(paneId: string, message: KeptMessage): void;
  clock: Clock;
  log: Pick<Log, "info" | "error">;
}

export interface MessageJob extends Job {
  readonly list: KeptList;
  readonly message: KeptMessage;
}

export const jobOf = (list: KeptList, message: KeptMessage): MessageJob => ({
  ...{ id: list.id, identity: list.identity, text: message.text, key: message.id },
  ...{ list, message },
});

export class WaitingMessages implements JobKind<MessageJob> {
  readonly act = "message";
  readonly againSeconds = READ_AGAIN_SECONDS;
  readonly #deps: WaitingMessagesDeps;
  readonly #held = new Map<string, Held>();

  constructor(deps: WaitingMessagesDeps) {
    this.#deps = deps;
  }

  heldOf(identity: string): Held {
    return this.#held.get(identity) ?? null;
  }

  waiting(): MessageJob[] {
    const { lists } = this.#deps.stored.current;
    if (lists.length === 0) this.#held.clear();
    return lists.flatMap((list) => {
      const [first] = list.messages;
      return list.lost === null && first ? [jobOf(list, first)] : [];
    });
  }

  look({ list, message }: MessageJob, { pane, wasListed, hasFailed, since }: JobSight) {
    // What was not seen in this pass proves nothing.
    const isKnown = pane === null ? !hasFailed : !pane.stale;
    const isOther = pane !== null && pane.agent?.id !== list.agent;
    const held = pane && !isOther ? whyHeld(list, pane) : null;
    const isIdle = pane?.status === "idle" && pane.actionable && !isOther && held === null;
    const goneSeconds = since("gone", isKnown && pane === null);
    const otherSeconds = since("other", isKnown && isOther);
    const idleSeconds = since("idle", isKnown && isIdle);
    if (otherSeconds >= GONE_SECONDS) return { drop: "other_program" };
    const isKnownGone = wasListed || this.#deps.isLocalPane(list.id);
    if (isKnownGone && goneSeconds >= (wasListed ? GONE_SECONDS : NEVER_SEEN_SECONDS))
      return { drop: "gone" };
    if (isKnown && !isIdle) this.#hold(list, held);
    return idleSeconds >= FREE_SECONDS && message.state === "waiting" ? "send" : "wait";
  }

  accept({ list }: MessageJob, now: FreshRead) {
    const why = whyNotFree(list, now);
    this.#hold(list, why === "busy" ? null : why);
    return why === null ? null : "prompt_changed";
  }

  isTyped({ message }: MessageJob, now: FreshRead): boolean {
    return standsThere(message, now);
  }

  async begin({ list, message }: MessageJob, press: string | null): Promise<void> {
    await this.#deps.stored.change((kept) => {
      const now = listWith(kept, message.id);
      // What leaves by itself is the first; a person may send any.
      const still = now?.messages.find(
        ({ id }, at) => id === message.id && (press !== null || at === 0),
      );
      if (now?.identity !== list.identity || now.lost !== null || !still) throw unknownMessage();
      if (still.state === "sending") throw refusal("message_sending", "it is being sent");
      if (still !== message) throw refusal("message_changed", "it was changed just now");
      return withOutcome(kept, message.id, "sending", { sentBy: press });
    });
  }

  async end({ list, message }: MessageJob, fate: JobFate): Promise<void> {
    const { stored, clock, log, changed } = this.#deps;
    if (fate.state === "dropped") {
      const isGone = fate.reason === "gone";
      const lost = isGone ? "gone" : "other_program";
      await stored.change((kept) => withLost(kept, list.identity, lost, clock.now()));
      const why = isGone ? "it is gone" : "another program runs there";
      log.info(`messages that wait: ${list.messages.length} for ${list.id} are not sent: ${why}`);
    } else if (fate.state !== "unsent")
      await stored.change((kept) => {
        const reason = fate.state === "unknown" ? (fate.reason ?? undefined) : undefined;
        return withOutcome(kept, message.id, fate.state, { reason });
      });
    else if (fate.hasBegun)
      await stored.change((kept) => withOutcome(kept, message.id, message.state));
    if (fate.state === "sent") this.#tellChat(list, message);
    changed();
  }

  #tellChat({ id }: KeptList, message: KeptMessage): void {
    try {
      this.#deps.sent(id, message);
    } catch (error) {
      // It has it from the log all the same, without its name.
      this.#deps.log.error("a message that was sent could not be put into its chat", error);
    }
  }

  #hold({ identity }: KeptList, held: Held): void {
    if (this.heldOf(identity) === held) return;
    this.#held.set(identity, held);
    this.#deps.changed();
  }
}
