import type { JSX } from "preact";
import { useEffect } from "preact/hooks";
import type { SeenAgent } from "../../../src/protocol/tolerant-later.ts";
import { bindingStateOf } from "../../model/lifecycle.ts";
import { useBrowser, useClient, useServer, type Client } from "../../state/client.ts";
import type { Workspace } from "../../state/server/agents/workspace.ts";
import { Icon, StatusIcon } from "../../ui/icons.tsx";
import { MenuItem } from "../../ui/item.tsx";
import { Notice } from "../../ui/notice.tsx";
import { dayOf } from "../../words/times.ts";
import { useAct } from "../parts/query-status.tsx";
import { usePane } from "../parts/derived.ts";
import { Confirm, Sheet } from "../parts/sheet.tsx";
import { TerminalText } from "../parts/text.tsx";
import { ChoosePane } from "./binding.tsx";
import {
  nameOf,
  unheardWords,
  usePaneOf,
  useWatch,
  useWorkspace,
  type SessionProps,
} from "./use.ts";

const VIEWS: Readonly<Record<string, (props: SessionProps) => JSX.Element>> = {
  "agent-menu": ({ agent }) => (
    <Sheet kind="menu" title="More">
      <AgentItems id={agent.id} paneId={null} />
    </Sheet>
  ),
  "agent-pane": ChoosePane,
  "agent-history": DeleteHistory,
};

/** The sheet about the session that is open; without one, or where it cannot be read, it closes. */
export function AgentSheet(): JSX.Element | null {
  const { router } = useBrowser();
  const server = useServer();
  const { config, panes, workspace: switched } = server;
  const workspace = useWorkspace();
  const { name = "", paneId = null } = router.sheet.value ?? {};
  const pane = usePane(paneId ?? "").value;
  const id = paneId === null ? (router.openAgent.value?.id ?? null) : server.agentIn(pane);
  const state = id === null ? null : (workspace?.agent(id) ?? null);
  useWatch(state?.query ?? null);
  const agent = state?.agent.value ?? null;
  const hasEnded =
    (id === null && panes.isLoaded.value) ||
    (config.current.value !== null && switched.facts.value.step !== "on") ||
    // The page below it says what is wrong.
    (agent === null && state !== null && state.query.failure.value !== null);
  useEffect(() => {
    if (hasEnded) router.close();
  }, [hasEnded]);
  const View = VIEWS[name];
  if (workspace === null || state === null || agent === null || View === undefined) return null;
  return <View key={agent.id} workspace={workspace} state={state} agent={agent} />;
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
  const agent = workspace?.agentRow(id) ?? null;
  if (workspace === null || agent === null) return null;
  const standing = client.server.may("type") ? bindingStateOf(agent) : null;
  const sheet = (name: string) => () => router.show(name, paneId);
  return (
    <>
      {standing === "open" && (
        <MenuItem icon="link" label="Choose the pane" onClick={sheet("agent-pane")} />
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
          onClick={sheet("agent-history")}
        />
      )}
    </>
  );
}

/** Unlinks at once, since the pane can be chosen again, and says how it went. */
async function unlink(
  { browser: { messages }, server: { outbox } }: Client,
  workspace: Workspace,
  agent: SeenAgent,
): Promise<void> {
  const paneId = agent.pane_id ?? "";
  if (outbox.isHeld(paneId) && !outbox.isDoubted(paneId))
    return messages.alert(
      "An answer is on its way to this pane. Wait until it is known what became of it.",
    );
  const released = await workspace.release(agent);
  if (released.ok) messages.say("Unlinked. You can choose a pane again.");
  else messages.alert(unheardWords("unlinked", released.failure));
}

/** Says what goes and what stays before anything is deleted. */
function DeleteHistory({ workspace, state, agent }: SessionProps): JSX.Element {
  const { config } = useServer();
  const { messages, router } = useBrowser();
  useWatch(state.decisions);
  const act = useAct();
  const pane = usePaneOf(agent);
  const open = agent.pending_decisions_count;
  const since = state.chat.facts.value?.retained_from ?? agent.created_at;
  const program = config.labels.value[agent.runtime] ?? agent.runtime;
  const questions = open === 1 ? "Its open question" : `Its ${open} open questions`;
  const fates = [
    "Messages, timeline and decisions, and the marks of your reviews, are deleted for everyone.",
    ...(open > 0 ? [`${questions} can only be answered in the terminal then.`] : []),
    `The log that ${program} keeps itself stays as it is.`,
    "What the agent does now stays known: goal, task, progress.",
  ];
  const run = async () => {
    const here = router.here();
    const deleted = await act.run(() => workspace.deleteHistory(agent.id));
    if (deleted?.ok !== true) return;
    here(() => router.close());
    messages.say("Its history is deleted.");
  };
  return (
    <Confirm
      title="Delete its history?"
      act={{
        label: act.isBusy ? "Deleting" : "Delete what was read",
        onPress: () => void run(),
        isDanger: true,
        isOff: act.isBusy,
      }}
      keepLabel="Keep it"
    >
      <p>
        <b>
          <TerminalText text={nameOf(agent, pane)} />
        </b>
        , known since {dayOf(since)}
      </p>
      <ul class="changes mt-8">
        {fates.map((text, i) => (
          <li key={text}>
            {i < fates.length - 2 ? (
              <Icon name="close" class="small text-error" />
            ) : (
              <StatusIcon shape="ok" />
            )}
            {text}
          </li>
        ))}
      </ul>
      <p class="page-text mt-8">It cannot be taken back.</p>
      {act.failure !== null && (
        <Notice tone="error" title={unheardWords("deleted", act.failure)} isAlert />
      )}
    </Confirm>
  );
}
