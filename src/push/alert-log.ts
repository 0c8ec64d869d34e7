import type { Clock } from "../lib/clock.ts";
import type { Log } from "../lib/log.ts";
import type { AlertLogEntry, LastDelivery } from "../protocol/push.ts";
import type { SendResult } from "./delivery.ts";
import type { Device } from "./device.ts";
import type { Devices } from "./devices.ts";

interface AlertLogDeps {
  devices: Pick<Devices, "noteDelivery">;
  clock: Pick<Clock, "now">;
  log: Log;
}

type Subject = Pick<AlertLogEntry, "device" | "pane" | "reason">;

const MAX_ENTRIES = 200;

/** What became of each alert: the last decisions, in memory only, and the last of each device. */
export class AlertLog {
  readonly #deps: AlertLogDeps;
  readonly #entries: AlertLogEntry[] = [];

  constructor(deps: AlertLogDeps) {
    this.#deps = deps;
  }

  /** Newest last. */
  get entries(): readonly AlertLogEntry[] {
    return [...this.#entries];
  }

  suppressed(about: Subject & Pick<AlertLogEntry, "why">): void {
    this.#note({ ...about, outcome: "suppressed" });
  }

  sent(about: Subject, { is, detail, sentTo }: SendResult): LastDelivery {
    const { devices, clock } = this.#deps;
    const result = is === "accepted" || is === "gone" ? is : "failed";
    const last = { at: clock.now(), reason: about.reason, result, detail } as const;
    if (sentTo) {
      this.#tellChange(sentTo, last);
      devices.noteDelivery(sentTo, last);
    }
    this.#note({ ...about, outcome: result === "accepted" ? "sent" : "failed", why: detail });
    return last;
  }

  // Once per change of state: a push service that is away for a night fills no log.
  #tellChange({ kind, id, deliveries }: Device, { result, detail }: LastDelivery): void {
    const { log } = this.#deps;
    const name = `${kind} device ${id}`;
    if (result === "gone") log.warn(`${name} is gone: ${detail}`);
    else if (result === "failed" && deliveries.failures === 0)
      log.warn(`alerts to ${name} fail: ${detail}`);
    else if (result === "accepted" && deliveries.failures > 0)
      log.info(`alerts to ${name} arrive again`);
  }

  #note(entry: Omit<AlertLogEntry, "at">): void {
    this.#entries.push({ at: this.#deps.clock.now(), ...entry });
    if (this.#entries.length > MAX_ENTRIES) this.#entries.shift();
  }
}
