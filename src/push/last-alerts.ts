import type { PaneSight } from "../terminal/transitions.ts";

/** When each device was last alerted about each pane (monotonic seconds), for the cooldown. */
export class LastAlerts {
  readonly #times = new Map<string, Map<string, number>>();

  /** Null: never, or it is of no pane. */
  at(pane: PaneSight | null, device: string): number | null {
    return (pane && this.#times.get(pane.identity)?.get(device)) ?? null;
  }

  note({ identity }: PaneSight, device: string, at: number): void {
    const times = this.#times.get(identity) ?? new Map<string, number>();
    this.#times.set(identity, times.set(device, at));
  }

  /** An alert that has not arrived begins no cooldown. */
  forget(identity: string, device: string): void {
    this.#times.get(identity)?.delete(device);
  }

  /** Of a pane that is no more. */
  forgetPane(identity: string): void {
    this.#times.delete(identity);
  }
}
