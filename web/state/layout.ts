import { computed, signal, type ReadonlySignal } from "@preact/signals";

/** Columns by width alone. */
export type Columns = 1 | 2 | 3;

const TWO = "(min-width: 820px)";
const THREE = "(min-width: 1200px)";
/** Below this height nothing docks under the terminal. */
const LOW = "(max-height: 479.98px)";

export class Layout {
  readonly columns: ReadonlySignal<Columns>;
  readonly isLow: ReadonlySignal<boolean>;
  /** Whether the sides of the three columns are shown; `[` and `]` switch them. */
  readonly hasNavigator = signal(true);
  readonly hasInspector = signal(true);

  constructor(window: Window) {
    const two = follow(window, TWO);
    const three = follow(window, THREE);
    this.isLow = follow(window, LOW);
    this.columns = computed(() => {
      if (three.value) return 3;
      return two.value ? 2 : 1;
    });
  }
}

function follow(window: Window, query: string): ReadonlySignal<boolean> {
  const list = window.matchMedia(query);
  const matches = signal(list.matches);
  list.addEventListener("change", (event) => {
    matches.value = event.matches;
  });
  return matches;
}
