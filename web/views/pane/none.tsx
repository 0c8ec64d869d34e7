import type { JSX } from "preact";
import { noPane as words } from "../../words/lists.ts";
import { Empty } from "../../ui/empty.tsx";

/** Beside the lists while no pane is chosen. */
export function NoPane(): JSX.Element {
  return (
    <main class="pane" id="content">
      <Empty title={words.title} text={words.text} />
    </main>
  );
}
