import type { JSX } from "preact";
import { standingOf } from "../../model/binding.ts";
import { changeLines } from "../../model/review/changes.ts";
import { useClient } from "../../state/client.ts";
import { Sheet } from "../../ui/sheet.tsx";
import { binding as words } from "../../words/binding.ts";
import { common } from "../../words/common.ts";
import { review } from "../../words/review.ts";
import { copyText } from "../parts/copy.ts";
import { usePaneOf } from "../review/use.ts";
import { letGo, mayLetGo } from "./let-go.tsx";
import type { SessionProps } from "./sheets.tsx";
import { MenuItem } from "../../ui/item.tsx";

/** More about one session: its pane, what it has done, and what is to go. */
export function AgentMenu({ workspace, agent }: SessionProps): JSX.Element {
  const client = useClient();
  const { router } = client.browser;
  const pane = usePaneOf(agent);
  const standing = standingOf(agent);
  const changes = workspace.board.card(agent.id)?.drawn.changes ?? {};
  const lines = changeLines(changes).map(({ kind, text }) => `${review.changes[kind]} ${text}`);
  const then = (run: () => void) => () => router.close(run);
  return (
    <Sheet kind="menu" title={words.menu} closeLabel={common.close} onClose={() => router.close()}>
      {pane !== null && (
        <MenuItem
          icon="terminal"
          label={words.openPane}
          onClick={then(() => router.goPane(pane.id))}
        />
      )}
      {lines.length > 0 && (
        <MenuItem
          icon="copy"
          label={words.copyChanges}
          onClick={then(() => copyText(client, lines.map((line) => line.trim()).join("\n")))}
        />
      )}
      {pane !== null && client.server.config.has("web_push_v1") && (
        <MenuItem icon="bell" label={words.mute} onClick={() => router.show("mute", pane.id)} />
      )}
      {(pane !== null || lines.length > 0) && <hr />}
      {standing === "open" && (
        <MenuItem icon="link" label={words.choose} onClick={() => router.show("agent-pane")} />
      )}
      {standing === "bound" && (
        <MenuItem
          icon="unlink"
          label={words.release}
          onClick={
            mayLetGo(workspace, agent)
              ? then(() => void letGo(client, workspace, agent))
              : () => router.show("agent-release")
          }
        />
      )}
      <MenuItem
        icon="trash"
        isDanger
        label={words.deleteHistory}
        onClick={() => router.show("agent-history")}
      />
    </Sheet>
  );
}
