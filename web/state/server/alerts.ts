import { isSameLimit } from "../../../src/protocol/limit.ts";
import type { Pane } from "../../model/pane.ts";
import type { Server } from "./server.ts";

const BEEP_HZ = 660;
const BEEP_SECONDS = 0.14;
const BEEP_VOLUME = 0.08;

/** Sound, vibration, and the notifications of the worker. */
export class Alerts {
  readonly #window: Window & typeof globalThis;
  #audio: AudioContext | null = null;

  constructor({ browser, signedOut }: Server) {
    this.#window = browser.window;
    signedOut.addEventListener("abort", () => void this.keepOnly(new Set()));
  }

  /** Whether the page has the focus, so that no sound is needed. */
  get isWatched(): boolean {
    const { document } = this.#window;
    return !document.hidden && document.hasFocus();
  }

  async keepOnly(ids: { has(id: string): boolean }): Promise<void> {
    const { navigator } = this.#window;
    const workers = "serviceWorker" in navigator ? navigator.serviceWorker : undefined;
    const registration = await workers?.getRegistration().catch(() => undefined);
    for (const notification of (await registration?.getNotifications()) ?? []) {
      const { paneId } = Object(notification.data);
      if (typeof paneId === "string" && !ids.has(paneId)) notification.close();
    }
  }

  vibrate(): void {
    this.#window.navigator.vibrate?.([80, 60, 80]);
  }

  /** Safari allows sound only from a tap: the switch that turns it on plays it once. */
  beep(): void {
    this.#audio ??= new this.#window.AudioContext();
    void this.#audio.resume();
    const { currentTime, destination } = this.#audio;
    const tone = this.#audio.createOscillator();
    const volume = this.#audio.createGain();
    tone.frequency.value = BEEP_HZ;
    volume.gain.setValueAtTime(BEEP_VOLUME, currentTime);
    volume.gain.exponentialRampToValueAtTime(0.0001, currentTime + BEEP_SECONDS);
    tone.connect(volume).connect(destination);
    tone.start();
    tone.stop(currentTime + BEEP_SECONDS);
  }
}

/** The panes that wait or have failed, by id; null before the first snapshot. */
export type AlertedPanes = ReadonlyMap<string, Pane> | null;

/**
 * One alert per transition: `fresh` panes began to wait or failed since, those of the ids in `over` no
 * longer do. The first snapshot is no news, nor is another agent that a limit parks.
 */
export function stepAlerts(alerted: AlertedPanes, panes: readonly Pane[]) {
  const now = new Map(panes.map((pane) => [pane.id, pane]));
  if (alerted === null) return { alerted: now, fresh: [], over: [] };
  const known = [...alerted.values()];
  return {
    alerted: now,
    fresh: panes.filter(
      (pane) =>
        alerted.get(pane.id)?.status !== pane.status &&
        !known.some((other) => isSameLimit(pane, other, pane.status_since - other.status_since)),
    ),
    over: [...alerted.keys()].filter((id) => !now.has(id)),
  };
}
