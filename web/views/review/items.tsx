import type { JSX } from "preact";
import type { SeenTerminalItem } from "../../../src/protocol/tolerant-agents.ts";
import { useBrowser } from "../../state/client.ts";
import { Icon, StatusIcon } from "../../ui/icons.tsx";
import { common } from "../../words/common.ts";
import { review as words } from "../../words/review.ts";
import { usePane } from "../parts/derived.ts";
import { Place, TerminalText } from "../parts/text.tsx";
import { Ago } from "./ago.tsx";

/** Panes that ask or failed and that no card speaks for: only their terminal tells what. */
export function TerminalItems(props: {
  readonly items: readonly SeenTerminalItem[];
}): JSX.Element | null {
  const { items } = props;
  if (items.length === 0) return null;
  return (
    <section>
      <h2 class="section">
        {words.inTerminal}
        <span class="section-count numbers">{items.length}</span>
      </h2>
      <ul class="list">
        {items.map((item) => (
          <li key={item.id}>
            <TerminalItem item={item} />
          </li>
        ))}
      </ul>
      <p class="hint terminal-hint">{words.paneStays(items.length)}</p>
    </section>
  );
}

function TerminalItem({ item }: { readonly item: SeenTerminalItem }): JSX.Element {
  const { router } = useBrowser();
  const pane = usePane(item.pane_id).value;
  const isFailed = item.status === "error";
  return (
    <button type="button" class="row" data-row onClick={() => router.goPane(item.pane_id)}>
      <StatusIcon
        shape={isFailed ? "error" : "needs_input"}
        label={isFailed ? common.status.error : common.status.needs_input}
      />
      <span class="grow">
        <span class="name truncate">
          {pane === null ? words.aPane : <TerminalText text={pane.name} />}
        </span>
        <span class="where truncate">
          {pane === null ? isFailed ? words.paneFailed : words.paneWaits : <Place pane={pane} />}
        </span>
      </span>
      <Ago at={item.updated_at} class="row-time" />
      <Icon name="next" class="small" />
    </button>
  );
}
