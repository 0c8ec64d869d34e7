import { z } from "zod";
import type { Message } from "./message.ts";

/** A notification that a device has been sent and that has to vanish once its cause is gone. */
export const Notice = z.object({
  device: z.string(),
  /** The notification's tag or collapse-id. */
  tag: z.string(),
  /** Panes whose handling ends it: one, or those of an alert after quiet hours. */
  identities: z.array(z.string()),
  reason: z.string(),
  /** Id of the pane that it leads to. */
  pane: z.string(),
});
export type Notice = z.infer<typeof Notice>;

/** What a device that has accepted this message shows of panes; null: it is about none. */
export function noticeOf(device: string, message: Message): Notice | null {
  const { tag } = message;
  if (message.kind === "pane") {
    const { identities, reason, pane } = message;
    return { device, tag, identities, reason, pane: pane.id };
  }
  if (message.kind !== "decision" || message.identity === null) return null;
  const { identity, paneId } = message;
  return { device, tag, identities: [identity], reason: "needs_input", pane: paneId };
}

/** Which notifications still stand on which device; survives a restart through its owner. */
export class Notices {
  readonly #standing = new Map<string, Notice>();
  #revision = 0;

  constructor(saved: readonly Notice[]) {
    for (const notice of saved) this.#standing.set(keyOf(notice.device, notice.tag), notice);
  }

  /** Grows with every change, so that its owner knows when to save. */
  get revision(): number {
    return this.#revision;
  }

  get all(): readonly Notice[] {
    return [...this.#standing.values()];
  }

  /** Takes the place of one with the same tag on that device. */
  add(notice: Notice): void {
    this.#revision++;
    this.#standing.set(keyOf(notice.device, notice.tag), notice);
  }

  remove(device: string, tag: string): void {
    if (this.#standing.delete(keyOf(device, tag))) this.#revision++;
  }

  /** Of a device that is no more. */
  removeDevice(device: string): void {
    for (const notice of this.all) if (notice.device === device) this.remove(device, notice.tag);
  }

  /** What of a pane was handled: gives the notices that have no cause left. */
  handled(identity: string, isOver: (notice: Notice) => boolean): Notice[] {
    const ended: Notice[] = [];
    for (const notice of this.#standing.values()) {
      if (!notice.identities.includes(identity) || !isOver(notice)) continue;
      const identities = notice.identities.filter((one) => one !== identity);
      if (identities.length > 0) {
        this.add({ ...notice, identities });
        continue;
      }
      this.remove(notice.device, notice.tag);
      ended.push(notice);
    }
    return ended;
  }
}

function keyOf(device: string, tag: string): string {
  return `${device} ${tag}`;
}
