import type { ComponentChildren, JSX } from "preact";
import { useBrowser } from "../../state/client.ts";

export interface Place {
  readonly hash: string;
  readonly label: string;
  readonly isOn: boolean;
  /** A count beside the label. */
  readonly end?: ComponentChildren;
}

/** The parts of one screen, as links: each has an address of its own. */
export function Places(props: {
  readonly label: string;
  readonly places: readonly Place[];
  /** The parts stand in each other's place: Back leaves the screen, not through all of them. */
  readonly replaces?: boolean;
  readonly onGo?: (hash: string) => void;
}): JSX.Element {
  const { label, places, replaces = false, onGo } = props;
  const { router } = useBrowser();
  return (
    <nav class="places" aria-label={label}>
      {places.map((place) => (
        <a
          key={place.hash}
          href={place.hash}
          class={place.isOn ? "on" : ""}
          aria-current={place.isOn ? "true" : undefined}
          onClick={(event) => {
            event.preventDefault();
            onGo?.(place.hash);
            if (replaces && router.openPane.peek() !== null) router.replace(place.hash);
            else router.go(place.hash);
          }}
        >
          {place.label}
          {place.end}
        </a>
      ))}
    </nav>
  );
}
