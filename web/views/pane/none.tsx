import type { JSX } from "preact";
import { Empty } from "../../ui/empty.tsx";

/** Beside the lists while no pane is chosen. */
export function NoPane(): JSX.Element {
  return (
    <main class="pane" id="content">
      <Empty title="Choose a row" text="It opens here." />
    </main>
  );
}
