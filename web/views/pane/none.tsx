import type { JSX } from "preact";
import { noPane as words } from "../../words/lists.ts";

/** Beside the lists while no pane is chosen. */
export function NoPane(): JSX.Element {
  return (
    <main class="pane" id="content">
      <div class="empty">
        <h2>{words.title}</h2>
        <p>{words.text}</p>
      </div>
    </main>
  );
}
