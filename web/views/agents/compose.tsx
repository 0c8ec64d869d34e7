import type { JSX } from "preact";
import { useEffect, useState } from "preact/hooks";
import type { SeenAgent } from "../../../src/protocol/tolerant-agents.ts";
import { standingOf } from "../../model/binding.ts";
import type { OutgoingMessage } from "../../model/chat/outgoing.ts";
import { MESSAGE_LIMIT, tooMany, type WritingObstacle } from "../../model/chat/writing.ts";
import { steadyMs } from "../../model/guard.ts";
import { useBrowser, useClient, usePart } from "../../state/client.ts";
import type { AgentState } from "../../state/server/agents/agent.ts";
import type { Workspace } from "../../state/server/agents/workspace.ts";
import { Waiting } from "../../state/server/waiting.ts";
import { Button } from "../../ui/button.tsx";
import { Icon, StatusIcon, type IconName } from "../../ui/icons.tsx";
import { chat as words } from "../../words/chat.ts";
import { waiting as waitingWords } from "../../words/waiting.ts";
import { composer as composerWords } from "../../words/pane.ts";
import type { Appearance, Pane } from "../../model/pane.ts";
import { usePaneOf } from "./use.ts";
import { useSteadyTarget } from "../answer/steady.ts";
import { WriteField } from "../parts/write-field.tsx";

interface ComposeProps {
  readonly workspace: Workspace;
  readonly state: AgentState;
  readonly agent: SeenAgent;
  readonly name: string;
}

/** What was on the screen when the press began. */
interface Seen {
  readonly agent: SeenAgent;
  readonly written: string;
}

/**
 * Writes to the agent while it is idle. Who is writing keeps the field, whatever happens meanwhile;
 * else the reason why nothing can be written stands in its place.
 */
export function ChatComposer({ workspace, state, agent, name }: ComposeProps): JSX.Element {
  const { outgoing } = workspace;
  const [isHeld, setHeld] = useState(false);
  const pane = usePaneOf(agent);
  const keeps = useKeeps(pane);
  const found = outgoing.obstacle(agent);
  // What the server keeps until the agent is free needs no agent that is free.
  const obstacle = keeps && (found === "working" || found === "failed") ? null : found;
  const draft = outgoing.draft(agent.id).value;
  const hasField =
    obstacle === null ||
    obstacle === "busy" ||
    (obstacle !== "in_doubt" && isHeld) ||
    !!draft?.text;
  const isShown = hasField && obstacle !== "in_doubt";
  const isOwn = draft?.leaving != null && obstacle !== "in_doubt";
  return (
    <footer class="pane-foot">
      {obstacle !== null && !isOwn && (
        <Obstacle workspace={workspace} state={state} agent={agent} obstacle={obstacle} />
      )}
      {isShown && (
        <Field
          key={agent.id}
          {...{ workspace, agent, name, obstacle }}
          kept={keeps ? pane : null}
          onHold={setHeld}
        />
      )}
    </footer>
  );
}

const useKeeps = (pane: Pane | null): boolean => {
  const waiting = usePart(Waiting);
  return pane !== null && waiting.keeps(pane);
};

function Field(props: {
  readonly workspace: Workspace;
  readonly agent: SeenAgent;
  readonly name: string;
  readonly obstacle: WritingObstacle | null;
  /** Its pane, where the message waits until the agent is free. */
  readonly kept: Pane | null;
  readonly onHold: (isHeld: boolean) => void;
}): JSX.Element {
  const { workspace, agent, name, obstacle, kept, onHold } = props;
  const waiting = usePart(Waiting);
  const [isAdding, setAdding] = useState(false);
  const [notAdded, setNotAdded] = useState<string | null>(null);
  const { outgoing } = workspace;
  const { clock } = useBrowser();
  const [removed, setRemoved] = useState(0);
  const steady = useSteadyTarget(`${obstacle} ${agent.binding_revision} ${agent.pane_id}`);
  const message = outgoing.of(agent.id).value;
  const draft = outgoing.draft(agent.id).value;
  const text = draft === null || draft.leaving !== null ? "" : draft.text;
  const isSending = message?.step === "sending" || isAdding;
  const over = tooMany(text);
  const isOff = obstacle !== null || isSending || over > 0 || text.trim() === "";
  useEffect(() => () => onHold(false), []);

  const see = (): Seen => ({ agent, written: outgoing.draft(agent.id).peek()?.text ?? "" });
  const send = ({ agent: seen, written }: Seen, pressedAt: number) => {
    if (isOff || outgoing.draft(seen.id).peek()?.text !== written) return;
    const times = { pressedAt, steadySince: steady.since() };
    setRemoved(0);
    setNotAdded(null);
    if (kept !== null) return void add(kept, written);
    void outgoing.send({
      agent: seen,
      text: written,
      steadyMs: steadyMs(times, clock.monotonicMs()),
    });
  };
  const add = async (to: Pane, written: string) => {
    setAdding(true);
    const added = await waiting.add(to.id, written);
    setAdding(false);
    if (added.step === "done") outgoing.write(agent.id, "");
    else
      setNotAdded(
        added.step === "refused" ? waitingWords.notDone(added.reason) : waitingWords.uncertain,
      );
  };
  return (
    <>
      <Note message={message} over={over} removed={removed} notAdded={notAdded} />
      <div class="composer chat-composer">
        <WriteField
          label={words.messageTo(name)}
          {...(kept === null ? {} : { placeholder: waitingWords.add })}
          sendLabel={kept === null ? words.send : waitingWords.addIt}
          value={text}
          onInput={(written) => {
            setNotAdded(null);
            setRemoved(outgoing.write(agent.id, written));
          }}
          {...{ see, send, isOff }}
          area={{
            readOnly: isSending,
            onFocus: () => onHold(true),
            onBlur: () => onHold(false),
          }}
        />
      </div>
    </>
  );
}

function Note(props: {
  readonly message: OutgoingMessage | null;
  readonly over: number;
  readonly removed: number;
  readonly notAdded: string | null;
}): JSX.Element | null {
  const { message, over, removed, notAdded } = props;
  const failure =
    notAdded ?? failureOf(message) ?? (over > 0 ? words.tooLong(MESSAGE_LIMIT, over) : null);
  if (failure !== null)
    return (
      <p class="composer-note wrong" role="alert">
        {failure}
      </p>
    );
  if (removed === 0) return null;
  return (
    <p class="composer-note" role="status">
      {composerWords.removedControls(removed)}
    </p>
  );
}

function failureOf(message: OutgoingMessage | null): string | null {
  if (message?.step === "refused") return words.refused(message.reason);
  if (message?.step === "changed") return words.changed;
  return message?.step === "moved" ? words.moved : null;
}

type Way = keyof typeof words.ways;

/** How each reason looks, and the one way on from it. */
const OBSTACLES: Readonly<
  Record<WritingObstacle, { sign: { shape: Appearance } | { icon: IconName }; way: Way | null }>
> = {
  in_doubt: { sign: { icon: "eye" }, way: "inspect" },
  no_connection: { sign: { icon: "offline" }, way: null },
  not_updated: { sign: { icon: "clock" }, way: "retry" },
  not_running: { sign: { shape: "offline" }, way: null },
  no_pane: { sign: { icon: "terminal" }, way: "choose" },
  unreadable: { sign: { shape: "stale" }, way: "pane" },
  asks: { sign: { shape: "needs_input" }, way: null },
  failed: { sign: { shape: "error" }, way: "pane" },
  working: { sign: { shape: "working" }, way: "pane" },
  takes_none: { sign: { icon: "lock" }, way: "pane" },
  busy: { sign: { icon: "clock" }, way: null },
};

function Obstacle(props: {
  readonly workspace: Workspace;
  readonly state: AgentState;
  readonly agent: SeenAgent;
  readonly obstacle: WritingObstacle;
}): JSX.Element {
  const { workspace, state, agent, obstacle } = props;
  const client = useClient();
  const { router } = client.browser;
  const { sign, way } = OBSTACLES[obstacle];
  const doubted = workspace.outgoing.draft(agent.id).value?.leaving?.paneId ?? agent.pane_id;
  const paneId = way === "inspect" ? doubted : agent.pane_id;
  const isPaneless = paneId === null && (way === "pane" || way === "inspect");
  const isChoiceless = way === "choose" && standingOf(agent) !== "open";
  const go = (to: Way) => {
    if (to === "pane") router.goPane(paneId ?? "");
    else if (to === "inspect") client.inspect(paneId ?? "");
    else if (to === "retry") void state.query.reload();
    else router.show("agent-pane");
  };
  return (
    <div class="composer-off">
      {"shape" in sign ? (
        <StatusIcon shape={sign.shape} />
      ) : (
        <Icon name={sign.icon} class="small" />
      )}
      <p class="grow" role="status">
        {words.obstacles[obstacle]}
      </p>
      {way !== null && !isPaneless && !isChoiceless && (
        <Button onClick={() => go(way)}>{words.ways[way]}</Button>
      )}
    </div>
  );
}
