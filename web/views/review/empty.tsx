import type { JSX } from "preact";
import type { Workspace } from "../../state/server/agents/workspace.ts";
import { useBrowser } from "../../state/client.ts";
import { Icon } from "../../ui/icons.tsx";
import { review as words } from "../../words/review.ts";
import { AgentRow } from "../agents/sessions.tsx";
import { InnerLink } from "../parts/inner-link.tsx";
import { WindowButton } from "./screen.tsx";
import { useWatch } from "./use.ts";

/** So many of those that work stand here; the others are one tap away. */
const SHOWN = 3;

/** The best state of the review, and who works meanwhile. */
export function NothingChanged({ workspace }: { readonly workspace: Workspace }): JSX.Element {
  const { layout } = useBrowser();
  useWatch(workspace.agents);
  const working = (workspace.agents.items.value ?? []).filter(
    ({ lifecycle }) => lifecycle === "working",
  );
  return (
    <>
      <p class="summary review-summary numbers">
        <span class="grow" />
        <WindowButton workspace={workspace} />
      </p>
      <div class="empty">
        <span class="caught-up">
          <Icon name="check" />
        </span>
        <h2>{words.emptyTitle}</h2>
        <p>{working.length === 0 ? words.emptyText : words.emptyWorking(working.length)}</p>
      </div>
      {working.length > 0 && (
        <>
          <ul class={layout.columns.value === 1 ? "list" : "rows"}>
            {working.slice(0, SHOWN).map((agent) => (
              <AgentRow key={agent.id} agent={agent} />
            ))}
          </ul>
          <p class="older">
            <InnerLink class="button plain" hash="#/agents">
              {words.allAgents}
            </InnerLink>
          </p>
        </>
      )}
    </>
  );
}
