import type { JSX } from "preact";
import type { Workspace } from "../../state/server/agents/workspace.ts";
import { useBrowser } from "../../state/client.ts";
import { Button } from "../../ui/button.tsx";
import { Icon } from "../../ui/icons.tsx";
import { plan as words } from "../../words/review.ts";
import { KeyCaps } from "../parts/key-caps.tsx";

/** An earlier page's plan, after all of it was read again. */
export function Restored({ workspace }: { readonly workspace: Workspace }): JSX.Element | null {
  const { planned } = workspace;
  if (!planned.isRestored.value || !planned.isRead.value) return null;
  const lost = Object.values(planned.lost.value);
  return (
    <div class="banner" role="status">
      <Icon name="clock" />
      <div class="grow">
        <b>{words.restored}</b>
        {words.restoredText({
          fit: planned.ready.value.length,
          changed: lost.filter((why) => why === "changed").length,
          ended: lost.filter((why) => why === "gone").length,
          uncertain: lost.filter((why) => why === "uncertain").length,
        })}
      </div>
      <Button size="small" onClick={() => planned.clear()}>
        {words.clear}
      </Button>
    </div>
  );
}

/** What would leave now, and what stays open. */
export function SendBar({ workspace }: { readonly workspace: Workspace }): JSX.Element | null {
  const { layout } = useBrowser();
  const { planned, isDown } = workspace;
  const n = planned.ready.value.length;
  const open = planned.rows.value.filter(
    ({ agent, decision, isOpen }) => isOpen && planned.takes(agent, decision),
  ).length;
  if (open === 0) return null;
  return (
    <footer class="plan-actions">
      <Button
        tone="primary"
        size="block"
        disabled={n === 0 || isDown.value || !planned.isRead.value}
        onClick={() => void planned.send()}
      >
        <span class="numbers">
          {words.send(n)}
          {n > 0 && open > n && <span class="plan-open">{words.staysOpen(open - n)}</span>}
        </span>
        {layout.columns.value > 1 && n > 0 && <KeyCaps keys="mod Enter" />}
      </Button>
    </footer>
  );
}
