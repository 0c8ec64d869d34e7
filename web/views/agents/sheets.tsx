import type { JSX } from "preact";
import { useEffect, useId, useState } from "preact/hooks";
import type { BindingCandidate } from "../../../src/protocol/agents.ts";
import type { SeenAgent } from "../../../src/protocol/tolerant-later.ts";
import { lastWordsOf } from "../../model/excerpt.ts";
import { lastSeenAt, bindingStateOf } from "../../model/lifecycle.ts";
import { appearanceOf, type Pane } from "../../model/pane.ts";
import { useBrowser, useClient, useServer, type Client } from "../../state/client.ts";
import type { Workspace } from "../../state/server/agents/workspace.ts";
import { Button, Icon, StatusIcon } from "../../ui/button.tsx";
import { MenuItem } from "../../ui/item.tsx";
import { Notice } from "../../ui/notice.tsx";
import { common } from "../../words/common.ts";
import { dayOf, atText } from "../../words/times.ts";
import { faultOf, useAct } from "../parts/query-status.tsx";
import { usePane, useToday } from "../parts/derived.ts";
import { Line } from "../parts/excerpt.tsx";
import { Confirm, Sheet } from "../parts/sheet.tsx";
import { PanePath, TerminalText } from "../parts/text.tsx";
import { nameOf, usePaneOf, useWatch, useWorkspace, type SessionProps } from "./use.ts";

const VIEWS: Readonly<Record<string, (props: SessionProps) => JSX.Element>> = {
  "agent-menu": ({ agent }) => (
    <Sheet kind="menu" title="More">
      <AgentItems id={agent.id} paneId={null} />
    </Sheet>
  ),
  "agent-pane": ChoosePane,
  "agent-history": DeleteHistory,
};

/** Closes by itself where no session is open, or the open one cannot be read. */
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

/** In the menu of a pane, or of a session without one. */
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

const unsureOf = (done: string) =>
  `Nobody knows whether it was ${done}: the server did not answer.`;

/** Does not ask first: the pane can be chosen again. */
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
  else messages.alert(faultOf("Not unlinked", released.failure, unsureOf("unlinked")));
}

function DeleteHistory({ workspace, state, agent }: SessionProps): JSX.Element {
  const { config } = useServer();
  const { messages, router } = useBrowser();
  useWatch(state.decisions);
  const act = useAct("Not deleted", unsureOf("deleted"));
  const pane = usePaneOf(agent);
  const open = agent.pending_decisions_count;
  const since = state.chat.facts.value?.retained_from ?? agent.created_at;
  const program = config.labels.value[agent.runtime] ?? agent.runtime;
  const questions = open === 1 ? "Its open question" : `Its ${open} open questions`;
  const consequences = [
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
        {consequences.map((text, i) => (
          <li key={text}>
            {i < consequences.length - 2 ? (
              <Icon name="close" class="small text-error" />
            ) : (
              <StatusIcon shape="ok" />
            )}
            {text}
          </li>
        ))}
      </ul>
      <p class="page-text mt-8">It cannot be taken back.</p>
      {act.fault !== "" && <Notice tone="error" title={act.fault} role="alert" />}
    </Confirm>
  );
}

const paneNameOf = ({ label, target }: BindingCandidate, pane: Pane | null): string =>
  pane?.name || label || target;

/** A choice counts only for the binding revision that was on the screen when it was made. */
function ChoosePane({ workspace, agent }: SessionProps): JSX.Element {
  const { panes } = useServer();
  const { messages, router } = useBrowser();
  const [chosen, setChosen] = useState({ id: "", revision: 0 });
  const act = useAct("Not chosen", unsureOf("chosen"));
  const candidates = agent.binding_candidates;
  const ids = candidates.map(({ pane_id }) => pane_id);
  useEffect(() => panes.showAlso(ids), [ids.join(" ")]);
  const isChosen = ({ pane_id }: BindingCandidate) =>
    pane_id === chosen.id && agent.binding_revision === chosen.revision;
  const candidate = candidates.find(isChosen);
  const name = candidate === undefined ? "" : paneNameOf(candidate, panes.find(chosen.id));
  const bind = async () => {
    if (candidate === undefined) return;
    const here = router.here();
    const bound = await act.run(() => workspace.bind(agent, chosen.id));
    if (bound?.ok !== true) return;
    here(() => router.close());
    messages.say(`It is ${name} from now on.`);
  };
  const isOld = chosen.id !== "" && candidate === undefined && !act.isBusy;
  const isFound = agent.association === "confirmed";
  return (
    <Sheet
      title="Which pane is it?"
      footer={
        <div class="sheet-buttons grid gap-8">
          {isOld && (
            <Notice icon="refresh" tone="needs" role="status">
              {isFound && "Its pane has been found meanwhile."}
              {!isFound && ids.length === 0 && "No pane could be its own any more."}
              {ids.length > 0 && "Its panes were looked at anew: choose once more."}
            </Notice>
          )}
          {act.fault !== "" && <Notice tone="error" title={act.fault} role="alert" />}
          <Button
            tone="primary"
            size="block"
            disabled={candidate === undefined || act.isBusy || workspace.isDown.value}
            onClick={() => void bind()}
          >
            {act.isBusy ? "Choosing" : name === "" ? "Choose a pane" : `It is ${name}`}
          </Button>
        </div>
      }
    >
      <LastWords agent={agent} />
      <div class="grid gap-8 mb-12" role="radiogroup" aria-label="Panes">
        {candidates.map((one) => (
          <Candidate
            key={one.pane_id}
            candidate={one}
            isChosen={isChosen(one)}
            onChoose={() => {
              act.forget();
              setChosen({ id: one.pane_id, revision: agent.binding_revision });
            }}
          />
        ))}
      </div>
      <p class="page-text">You can unlink it again at any time.</p>
    </Sheet>
  );
}

/** What to look for on the screens. */
function LastWords({ agent }: { readonly agent: SeenAgent }): JSX.Element {
  const { progress_summary: said, current_task: task } = agent.context;
  const today = useToday();
  if (!said && !task) return <p class="page-text">Nothing that it said is known yet.</p>;
  return (
    <p class="last-words clamp fs-13 text-2">
      {said ? `It said last, ${atText(lastSeenAt(agent), today)}:` : "You asked it last:"}{" "}
      <q class="anywhere text-1">
        <TerminalText text={said || (task ?? "")} />
      </q>
    </p>
  );
}

/** Enough of a screen to tell two agents apart, and few enough to see both. */
const SHOWN_LINES = 8;

function Candidate(props: {
  readonly candidate: BindingCandidate;
  readonly isChosen: boolean;
  readonly onChoose: () => void;
}): JSX.Element {
  const { candidate, isChosen, onChoose } = props;
  const id = useId();
  const pane = usePane(candidate.pane_id).value;
  const lines = pane === null ? [] : lastWordsOf(pane, SHOWN_LINES);
  const appearance = pane === null ? null : appearanceOf(pane);
  return (
    <label class="candidate stack relative fill round-3">
      <input
        type="radio"
        class="radio"
        name="candidate"
        aria-labelledby={`${id}-name`}
        aria-describedby={`${id}-why`}
        checked={isChosen}
        onChange={onChoose}
      />
      <span class="flex baseline gap-8 bold anywhere" id={`${id}-name`}>
        <TerminalText text={paneNameOf(candidate, pane)} class="grow" />
        <span class="rigid fs-13 regular numbers text-2">
          {Math.round(candidate.confidence * 100)}%
        </span>
      </span>
      <span class="fs-13 anywhere text-2" id={`${id}-why`}>
        {pane !== null && <PanePath pane={pane} />}
        {pane !== null && ". "}
        <TerminalText text={candidate.reasons.join(" ")} />{" "}
        {appearance !== null && (
          <span class="inline gap-4 nowrap">
            <StatusIcon shape={appearance} /> {common.status[appearance]}.
          </span>
        )}
      </span>
      {lines.length > 0 && (
        <span class="excerpt grid mt-8">
          <pre dir="ltr">
            {lines.map((line, i) => (
              <Line key={i} text={line} class="" />
            ))}
          </pre>
        </span>
      )}
      {lines.length === 0 && <span class="mt-8 fs-13 text-2">Its screen is not known here.</span>}
    </label>
  );
}
