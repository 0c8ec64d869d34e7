import type { JSX } from "preact";
import { useEffect } from "preact/hooks";
import type { SeenAgent } from "../../../src/protocol/tolerant-agents.ts";
import type { AgentState } from "../../state/server/agents/agent.ts";
import type { Workspace } from "../../state/server/agents/workspace.ts";
import { useBrowser, useServer } from "../../state/client.ts";
import { useWatch, useWorkspace } from "../review/use.ts";
import { ChoosePane } from "./choose-pane.tsx";
import { DeleteHistory } from "./delete-history.tsx";
import { LetGo } from "./let-go.tsx";
import { AgentMenu } from "./menu.tsx";
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
  "agent-release": LetGo,
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
