import type { JSX } from "preact";
import { useEffect } from "preact/hooks";
import type { SeenAgent } from "../../../src/protocol/tolerant-agents.ts";
import { standingOf } from "../../model/binding.ts";
import { changeLines } from "../../../src/protocol/change-lines.ts";
import type { AgentState } from "../../state/server/agents/agent.ts";
import type { Workspace } from "../../state/server/agents/workspace.ts";
import { useBrowser, useClient, useServer } from "../../state/client.ts";
import { MenuItem } from "../../ui/item.tsx";
import { binding as words } from "../../words/binding.ts";
import { review } from "../../words/review.ts";
import { copyText } from "../parts/copy.ts";
import { StopItem } from "../waiting/stop-item.tsx";
import { Sheet } from "../parts/sheet.tsx";
import { usePaneOf, useWatch, useWorkspace } from "./use.ts";
import { ChoosePane } from "./choose-pane.tsx";
import { DeleteHistory, mayUnlink, unlink, UnlinkPane } from "./confirm.tsx";
import type { AgentSheetName } from "./names.ts";

/** What a sheet about a session is drawn from. */
export interface SessionProps {
  readonly workspace: Workspace;
  readonly state: AgentState;
  readonly agent: SeenAgent;
}

const VIEWS: Readonly<Record<AgentSheetName, (props: SessionProps) => JSX.Element>> = {
  "agent-menu": AgentMenu,
  "agent-pane": ChoosePane,
  "agent-release": UnlinkPane,
  "agent-history": DeleteHistory,
};

/** The sheet about the session that is open; without one it closes. */
export function AgentSheet(): JSX.Element | null {
  const { router } = useBrowser();
  const { config, workspace: switched } = useServer();
  const workspace = useWorkspace();
  const id = router.openAgent.value?.id ?? null;
  const isKnown = config.current.value !== null;
  const isOver = id === null || (isKnown && switched.facts.value.step !== "on");
  useEffect(() => {
    if (isOver) router.close();
  }, [isOver]);
  if (workspace === null || id === null) return null;
  return <Loaded key={id} workspace={workspace} state={workspace.agent(id)} />;
}

function Loaded(props: {
  readonly workspace: Workspace;
  readonly state: AgentState;
}): JSX.Element | null {
  const { workspace, state } = props;
  const { router } = useBrowser();
  useWatch(state.query);
  const agent = state.agent.value;
  const hasFailed = agent === null && state.query.failure.value !== null;
  useEffect(() => {
    // The page below says what is wrong.
    if (hasFailed) router.close();
  }, [hasFailed]);
  const name = router.sheet.value?.name ?? "";
  const View = Object.entries(VIEWS).find(([known]) => known === name)?.[1];
  if (agent === null || View === undefined) return null;
  return <View workspace={workspace} state={state} agent={agent} />;
}

/** More about one session: its pane, what it has done, and what is to go. */
function AgentMenu({ workspace, agent }: SessionProps): JSX.Element {
  const client = useClient();
  const { router } = client.browser;
  const pane = usePaneOf(agent);
  const standing = standingOf(agent);
  const changes = workspace.board.card(agent.id)?.drawn.changes ?? {};
  const lines = changeLines(changes).map(({ kind, text }) => `${review.changes[kind]} ${text}`);
  const then = (run: () => void) => () => router.close(run);
  return (
    <Sheet kind="menu" title={words.menu}>
      {pane !== null && <StopItem pane={pane} />}
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
      {standing === "linked" && (
        <MenuItem
          icon="unlink"
          label={words.release}
          onClick={
            mayUnlink(workspace, agent)
              ? then(() => void unlink(client, workspace, agent))
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
