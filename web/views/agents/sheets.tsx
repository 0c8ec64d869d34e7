import type { JSX } from "preact";
import { useEffect } from "preact/hooks";
import type { SeenAgent } from "../../../src/protocol/tolerant-agents.ts";
import { standingOf } from "../../model/binding.ts";
import type { AgentState } from "../../state/server/agents/agent.ts";
import type { Workspace } from "../../state/server/agents/workspace.ts";
import { useBrowser, useClient, useServer } from "../../state/client.ts";
import { MenuItem } from "../../ui/item.tsx";
import { Sheet } from "../parts/sheet.tsx";
import { usePane } from "../parts/derived.ts";
import { useWatch, useWorkspace } from "./use.ts";
import { ChoosePane } from "./choose-pane.tsx";
import { DeleteHistory, unlink } from "./confirm.tsx";
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
  "agent-history": DeleteHistory,
};

/** The sheet about the session that is open; without one it closes. */
export function AgentSheet(): JSX.Element | null {
  const { router } = useBrowser();
  const server = useServer();
  const { config, workspace: switched } = server;
  const workspace = useWorkspace();
  const { panes } = server;
  const paneId = router.sheet.value?.paneId ?? null;
  const pane = usePane(paneId ?? "").value;
  const id = paneId === null ? (router.openAgent.value?.id ?? null) : server.agentIn(pane);
  const isKnown = config.current.value !== null;
  const isOver =
    (id === null && panes.isLoaded.value) || (isKnown && switched.facts.value.step !== "on");
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

/** More about a session that is in no pane. */
function AgentMenu({ agent }: SessionProps): JSX.Element {
  return (
    <Sheet kind="menu" title="More">
      <AgentItems id={agent.id} paneId={null} />
    </Sheet>
  );
}

/** What is done with a session and what was read of it, in the menu of its pane or its own. */
export function AgentItems(props: {
  readonly id: string;
  readonly paneId: string | null;
}): JSX.Element | null {
  const { id, paneId } = props;
  const client = useClient();
  const { router } = client.browser;
  const workspace = useWorkspace();
  useWatch(workspace?.agent(id).query ?? null);
  const agent = workspace?.known(id) ?? null;
  if (workspace === null || agent === null) return null;
  const standing = client.server.may("type") ? standingOf(agent) : null;
  return (
    <>
      {standing === "open" && (
        <MenuItem
          icon="link"
          label="Choose the pane"
          onClick={() => router.show("agent-pane", paneId)}
        />
      )}
      {standing === "linked" && (
        <MenuItem
          icon="unlink"
          label="Unlink this pane"
          onClick={() => router.close(() => void unlink(client, workspace, agent))}
        />
      )}
      {client.server.may("own") && (
        <MenuItem
          icon="trash"
          isDanger
          label="Delete what was read"
          onClick={() => router.show("agent-history", paneId)}
        />
      )}
    </>
  );
}
