import { computed, signal, type ReadonlySignal } from "@preact/signals";

/** Two answerable cards are answered sooner than collected. */
const OFFERED_FROM = 3;

/** What the queue itself knows of answers that are chosen ahead; the rest comes with its own code. */
export class Collecting {
  /** Whether a tap chooses, and sends nothing. */
  readonly isOn = signal(false);
  readonly hasChoices = signal(false);
  /** Cards that keep their place while answers are sent, by their pane, else by their agent. */
  readonly cards = signal<ReadonlySet<string>>(new Set());
  readonly isOffered: ReadonlySignal<boolean>;

  /** `waiting`: how many cards wait. */
  constructor(waiting: () => number) {
    this.isOffered = computed(
      () => waiting() >= OFFERED_FROM || this.isOn.value || this.hasChoices.value,
    );
  }
}
