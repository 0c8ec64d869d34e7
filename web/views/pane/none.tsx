import type { JSX } from "preact";
import { pane as words } from "../../words/pane.ts";

/** Beside the lists while no pane is chosen. */
export function NoPane(): JSX.Element {
  return (
    <main class="pane" id="content">
      <div class="empty">
        <h2>{words.choose}</h2>
        <p>{words.chooseText}</p>
      </div>
    </main>
  );
}
